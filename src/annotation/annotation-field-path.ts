import { ENTRIES } from './catalogue.ts';

/** The field paths of all catalogue annotations. They are built once, because every violation of an annotation contains such a path. */
const FIELDS: ReadonlyMap<string, string> = new Map(
  ENTRIES.flatMap(([, entry]) => [entry.key, ...entry.deprecated]).map((key) => [key, `metadata.annotations[${key}]`]),
);

/** Returns the field path of an annotation, as Kubernetes writes the path in errors. */
export const annotationField = (key: string): string => FIELDS.get(key) ?? `metadata.annotations[${key}]`;
