import { ENTRIES } from './catalogue.ts';

/** Every deprecated form of every annotation's key, with the current key. */
export const CURRENT_KEYS: ReadonlyMap<string, string> = new Map(
  ENTRIES.flatMap(([, entry]) => entry.deprecated.map((form) => [form, entry.key] as const)),
);

/** The key that should be written instead of `key`; `undefined` if `key` is no deprecated form of anything. */
export const currentKeyOf = (key: string): string | undefined => CURRENT_KEYS.get(key);

const FORMS: ReadonlyMap<string, readonly string[]> = new Map(
  ENTRIES.map(([, entry]) => [entry.key, entry.deprecated] as const),
);

/** All deprecated forms of a current key, the one that wins first; none for a key that is not one of the catalogue's. */
export const deprecatedFormsOf = (key: string): readonly string[] => FORMS.get(key) ?? [];

/** Whether a key is that of an annotation of the catalogue, in whatever form. */
export const isKnownKey = (key: string): boolean => FORMS.has(key) || CURRENT_KEYS.has(key);
