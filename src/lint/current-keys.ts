import { currentKeyOf, deprecatedFormsOf } from '../annotation/deprecated.ts';

export type Texts = Readonly<Record<string, string>>;

/** Annotations as the webhook stores them, with their original keys. */
export interface Renamed {
  readonly values: Texts;
  /** The deprecated key under which each current key was written. */
  readonly writtenAs: ReadonlyMap<string, string>;
  /** All deprecated keys with their current keys. */
  readonly deprecated: readonly Deprecated[];
}

export interface Deprecated {
  readonly old: string;
  readonly current: string;
  /** The key that takes effect, if its value differs: the current key, or else the first deprecated key. */
  readonly against?: string;
}

/** Replaces deprecated keys by current keys, as the webhook does at creation. An existing current key takes precedence, whatever its value. */
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
