import { currentKeyOf, deprecatedFormsOf } from '../annotation/deprecated.ts';

export type Texts = Readonly<Record<string, string>>;

/** Annotations as the webhook stores them, with what they were called. */
export interface Renamed {
  readonly values: Texts;
  /** The deprecated key under which a current one was written. */
  readonly writtenAs: ReadonlyMap<string, string>;
  /** Every deprecated key, with the current one. */
  readonly deprecated: readonly Deprecated[];
}

export interface Deprecated {
  readonly old: string;
  readonly current: string;
  /** The key that counts instead, where that says something else: the current one, or else the first of the deprecated ones. */
  readonly against?: string;
}

/** Puts current keys in place of deprecated ones, as the webhook does on creation: a current key that is there wins, whatever its value. */
export function withCurrentKeys(annotations: Texts): Renamed {
  const deprecated = Object.keys(annotations).flatMap((old): readonly Deprecated[] => {
    const current = currentKeyOf(old);
    if (current === undefined) return [];
    const counts = [current, ...deprecatedFormsOf(current)].find((form) => Object.hasOwn(annotations, form)) ?? old;
    return [{ old, current, ...(annotations[counts] === annotations[old] ? {} : { against: counts }) }];
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
