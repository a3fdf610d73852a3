import { currentKeyOf, deprecatedFormsOf } from '../annotation/deprecated-key-index.ts';

export type Texts = Readonly<Record<string, string>>;

/** Annotations under their current keys, with the deprecated keys of the manifest. */
export interface Renamed {
  readonly values: Texts;
  /** The deprecated key in the manifest, by current key. */
  readonly writtenAs: ReadonlyMap<string, string>;
  /** All deprecated keys with their current keys. */
  readonly deprecated: readonly Deprecated[];
}

/** A deprecated key in a manifest. */
export interface Deprecated {
  readonly old: string;
  readonly current: string;
  /** The key that takes effect instead. Undefined if both keys have equal values. */
  readonly against?: string;
}

/**
 * Replaces deprecated keys with current keys, as the webhook does at creation, because rules read only current keys. An existing current key takes
 * precedence.
 */
export function withCurrentKeys(annotations: Texts): Renamed {
  const deprecated = Object.keys(annotations).flatMap((old): readonly Deprecated[] => {
    const current = currentKeyOf(old);
    if (current === undefined) return [];
    const effectiveKey =
      [current, ...deprecatedFormsOf(current)].find((form) => Object.hasOwn(annotations, form)) ?? old;
    return [{ old, current, ...(annotations[effectiveKey] === annotations[old] ? {} : { against: effectiveKey }) }];
  });
  if (deprecated.length === 0) return { values: annotations, writtenAs: new Map(), deprecated };
  const values = { ...annotations };
  for (const { old } of deprecated) Reflect.deleteProperty(values, old);
  const writtenAs = new Map<string, string>();
  for (const { current } of deprecated) {
    const old = deprecatedFormsOf(current).find((form) => Object.hasOwn(annotations, form));
    if (old === undefined || Object.hasOwn(annotations, current)) continue;
    values[current] = annotations[old] ?? '';
    writtenAs.set(current, old);
  }
  return { values, writtenAs, deprecated };
}
