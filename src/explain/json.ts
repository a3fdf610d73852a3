import { allowedBy } from '../annotation/allowed-values.ts';
import type { Topic } from './lookup.ts';

/** Replaces a regular expression with its source, because JSON cannot represent the expression. */
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

/** Returns topics as JSON, for `portcullis explain -o json`. A single topic is an object, and several topics are an array. */
export function topicsJson(topics: readonly Topic[]): string {
  return topics.length === 1 ? JSON.stringify(topics.map(fieldsOf)[0], readable, 2) : listJson(topics);
}

/** Returns topics as a JSON array, for `portcullis rules -o json` and for several topics. */
export const listJson = (topics: readonly Topic[]): string => JSON.stringify(topics.map(fieldsOf), readable, 2);
