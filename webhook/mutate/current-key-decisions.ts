/** The handling of a deprecated key. `replace` stores only the current key; `keep` stores the deprecated and the current key with equal values. */
export type KeyHandling = 'replace' | 'keep';

/** The change of one annotation by a request. `old` is its deprecated key, and `current` its current key. */
export interface KeyChange {
  /** The values in the request. Undefined if the request lacks the key. */
  readonly old: string | undefined;
  readonly current: string | undefined;
  /** The values in the stored object. Undefined if the object lacks the key. */
  readonly oldBefore: string | undefined;
  readonly currentBefore: string | undefined;
  /** True if a manifest of `kubectl apply` or server-side apply declares the current key after the request. */
  readonly isDeclared: boolean;
  /** True if a manifest declares the old key after the request. */
  readonly isOldDeclared: boolean;
  /** True if this request's manifest no longer declares the old key, which the previous manifest declared. */
  readonly isWithdrawn: boolean;
}

/** The effect of a request on the current key. */
export type KeyResult = 'takes-old-value' | 'ignores-old-value' | 'removed' | 'unchanged';

/** A row of a decision table: the requests that match, and their effect on the current key. */
export interface KeyDecision {
  /** Describes the requests that match; unique in its table. */
  readonly request: string;
  readonly matches: (change: KeyChange) => boolean;
  readonly result: KeyResult;
}

const isOldChanged = ({ old, oldBefore }: KeyChange): boolean => old !== undefined && old !== oldBefore;
const isCurrentChanged = ({ current, currentBefore }: KeyChange): boolean => current !== currentBefore;
const differ = ({ old, current }: KeyChange): boolean => old !== undefined && current !== undefined && current !== old;
/** Returns whether the request has no old key, and repeats the stored current key without declaring the current key in a manifest. */
const isCurrentOnly = (change: KeyChange): boolean =>
  change.old === undefined && change.current !== undefined && !isCurrentChanged(change) && !change.isDeclared;

const KEEP: readonly KeyDecision[] = [
  {
    request: 'the old key is present and the current key is absent',
    matches: ({ old, current }) => old !== undefined && current === undefined,
    result: 'takes-old-value',
  },
  {
    request: 'the old key changes, the current key does not, and the current key is not declared',
    matches: (change) => isOldChanged(change) && !isCurrentChanged(change) && !change.isDeclared,
    result: 'takes-old-value',
  },
  {
    request: 'both keys change to different values',
    matches: (change) => isOldChanged(change) && isCurrentChanged(change) && differ(change),
    result: 'ignores-old-value',
  },
  {
    request: 'the old key changes and the current key is declared with another value',
    matches: (change) => isOldChanged(change) && change.isDeclared && differ(change),
    result: 'ignores-old-value',
  },
  {
    request: 'the old key is removed from its manifest, and the current key is its unchanged copy',
    matches: (change) => isCurrentOnly(change) && change.current === change.oldBefore && change.isWithdrawn,
    result: 'removed',
  },
];

const REPLACE: readonly KeyDecision[] = [
  {
    request: "the old key is present, and the current key changes to a value that differs from the old key's",
    matches: (change) => differ(change) && isCurrentChanged(change),
    result: 'ignores-old-value',
  },
  {
    request: 'the old key is present, and the current key is declared with another value',
    matches: (change) => differ(change) && change.isDeclared,
    result: 'ignores-old-value',
  },
  {
    // The value in effect must not change through an unrelated request, because a rule could then deny that request.
    request: 'both keys are stored with different values, neither changes, and the old key is not declared',
    matches: (change) => differ(change) && !isOldChanged(change) && !isCurrentChanged(change) && !change.isOldDeclared,
    result: 'ignores-old-value',
  },
  {
    request: 'the old key is present in any other case',
    matches: ({ old }) => old !== undefined,
    result: 'takes-old-value',
  },
  {
    request: 'the old key is removed from its manifest, and the current key neither changes nor is declared',
    matches: (change) => isCurrentOnly(change) && change.isWithdrawn,
    result: 'removed',
  },
];

/** The decision tables. The first matching row applies; without a matching row, the current key stays unchanged. */
export const KEY_DECISIONS: Readonly<Record<KeyHandling, readonly KeyDecision[]>> = { keep: KEEP, replace: REPLACE };

/** Returns the effect of a request on the current key of an annotation. */
export const decideCurrentKey = (handling: KeyHandling, change: KeyChange): KeyResult =>
  KEY_DECISIONS[handling].find(({ matches }) => matches(change))?.result ?? 'unchanged';

/** Returns whether the request removes the old key and keeps its copy, as a writer does who renames the key. */
export const isUnchangedCopy = (change: KeyChange): boolean =>
  isCurrentOnly(change) && change.current === change.oldBefore;
