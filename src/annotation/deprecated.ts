import { ENTRIES } from './catalogue.ts';

/** The current key of each deprecated form. */
export const CURRENT_KEYS: ReadonlyMap<string, string> = new Map(
  ENTRIES.flatMap(([, entry]) => entry.deprecated.map((form) => [form, entry.key] as const)),
);

/** Returns the current key of a deprecated form. Undefined if `key` is not deprecated. */
export const currentKeyOf = (key: string): string | undefined => CURRENT_KEYS.get(key);

const FORMS: ReadonlyMap<string, readonly string[]> = new Map(
  ENTRIES.map(([, entry]) => [entry.key, entry.deprecated] as const),
);

/** Returns the deprecated forms of a current key, in order of precedence. Empty for keys that are not in the catalogue. */
export const deprecatedFormsOf = (key: string): readonly string[] => FORMS.get(key) ?? [];

/** Returns whether a key is in the catalogue, in its current or a deprecated form. */
export const isKnownKey = (key: string): boolean => FORMS.has(key) || CURRENT_KEYS.has(key);
