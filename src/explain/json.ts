import { allowedBy } from '../annotation/allowed-values.ts';
import type { Topic } from './lookup.ts';

/** An expression as its source; everything else as it is. */
const readable = (_key: string, value: unknown): unknown => (value instanceof RegExp ? value.source : value);

function fieldsOf(topic: Topic): object {
  if (topic.kind === 'rule') {
    const { name, kind: objects, tunable, doc, since, needsInventory = false, examples } = topic.rule;
    return { kind: 'rule', name, objects, tier: topic.tier, tunable, needsInventory, doc, since, examples };
  }
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
  return topics.length === 1 ? JSON.stringify(topics.map(fieldsOf)[0], readable, 2) : listJson(topics);
}

/** Topics as an array, however many they are. */
export const listJson = (topics: readonly Topic[]): string => JSON.stringify(topics.map(fieldsOf), readable, 2);
