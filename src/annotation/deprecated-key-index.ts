import { ENTRIES } from './catalogue.ts';

/** The current key of each deprecated key. The webhook writes the current key, and the controller reads both keys. */
export const CURRENT_KEYS: ReadonlyMap<string, string> = new Map(
  ENTRIES.flatMap(([, entry]) => entry.deprecated.map((form) => [form, entry.key] as const)),
);

/** Returns the current key of a deprecated key. Returns undefined if `key` is not deprecated. */
export const currentKeyOf = (key: string): string | undefined => CURRENT_KEYS.get(key);

const FORMS: ReadonlyMap<string, readonly string[]> = new Map(
  ENTRIES.map(([, entry]) => [entry.key, entry.deprecated] as const),
);

/** Returns the deprecated keys of a current key, in order of precedence. Returns an empty list for a key outside the catalogue. */
export const deprecatedFormsOf = (key: string): readonly string[] => FORMS.get(key) ?? [];

/** Returns whether the catalogue has a key as a current or a deprecated key. */
export const isKnownKey = (key: string): boolean => FORMS.has(key) || CURRENT_KEYS.has(key);
