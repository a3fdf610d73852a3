import { ENTRIES } from './catalogue.ts';

/** Those of our own annotations, made once: every fault names one. */
const FIELDS: ReadonlyMap<string, string> = new Map(
  ENTRIES.flatMap(([, entry]) => [entry.key, ...entry.deprecated]).map((key) => [key, `metadata.annotations[${key}]`]),
);

/** The path of an annotation, as Kubernetes writes it. */
export const annotationField = (key: string): string => FIELDS.get(key) ?? `metadata.annotations[${key}]`;
