import { allowedBy } from '../annotation/says.ts';
import type { Topic } from './lookup.ts';

/** An expression as its source; everything else as it is. */
const readable = (_key: string, value: unknown): unknown => (value instanceof RegExp ? value.source : value);

function fieldsOf(topic: Topic): object {
  if (topic.kind === 'mark') {
    const { kind, ...mark } = topic.mark;
    return { kind: 'mark', what: kind, ...mark };
  }
  const { key, suffix, ...rest } = topic.entry;
  const { kind, option, family } = topic;
  return { kind, key, suffix, option, family, allowed: allowedBy(rest.value), ...rest };
}

/** Topics for a program to read: an object for one, an array for several. */
export function topicsJson(topics: readonly Topic[]): string {
  const all = topics.map(fieldsOf);
  return JSON.stringify(all.length === 1 ? all[0] : all, readable, 2);
}
