/** `replace`: the old key leaves the stored object. `keep`: it stays, and the current key mirrors it. */
export type KeyHandling = 'replace' | 'keep';

/** What a request does to one annotation with a deprecated form. */
export interface KeyChange {
  /** The value of the old key in the request; absent without the key. */
  readonly old: string | undefined;
  /** The value of the old key in the stored object; absent without the key. */
  readonly oldBefore: string | undefined;
  /** The value of the current key in the request; absent without the key. */
  readonly current: string | undefined;
  /** The value of the current key in the stored object; absent without the key. */
  readonly currentBefore: string | undefined;
  /** Whether the request leaves the current key declared. */
  readonly isDeclared: boolean;
  /** Whether the request leaves the old key declared. */
  readonly isOldDeclared: boolean;
  /** Whether a manifest dropped the old key, and no manifest declares the old key any more. */
  readonly isWithdrawn: boolean;
}

/** What becomes of the current key. */
export type KeyResult = 'takes-old-value' | 'ignores-old-value' | 'removed' | 'unchanged';

export interface KeyDecision {
  readonly request: string;
  readonly matches: (change: KeyChange) => boolean;
  readonly result: KeyResult;
}

const isOldChanged = ({ old, oldBefore }: KeyChange): boolean => old !== undefined && old !== oldBefore;
const isCurrentChanged = ({ current, currentBefore }: KeyChange): boolean => current !== currentBefore;
const differ = ({ old, current }: KeyChange): boolean => old !== undefined && current !== undefined && current !== old;
/** Returns whether the request omits the old key, and neither changes nor declares the current key. */
const isLeftAlone = (change: KeyChange): boolean =>
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
    request: 'the old key is removed, its copy does not change, and it is proven that no manifest has either',
    matches: (change) => isLeftAlone(change) && change.current === change.oldBefore && change.isWithdrawn,
    result: 'removed',
  },
];

const REPLACE: readonly KeyDecision[] = [
  {
    request: 'the old key is present, and the current key changes to another value',
    matches: (change) => differ(change) && isCurrentChanged(change),
    result: 'ignores-old-value',
  },
  {
    request: 'the old key is present, and the current key is declared with another value',
    matches: (change) => differ(change) && change.isDeclared,
    result: 'ignores-old-value',
  },
  {
    // A request about something else must not change what is in effect: it could even be denied for it.
    request: 'both keys are stored with different values, neither changes, and the old key is not declared',
    matches: (change) => differ(change) && !isOldChanged(change) && !isCurrentChanged(change) && !change.isOldDeclared,
    result: 'ignores-old-value',
  },
  {
    request: 'the old key is present otherwise',
    matches: ({ old }) => old !== undefined,
    result: 'takes-old-value',
  },
  {
    request: 'the current key neither changes nor is declared, and the manifest that had the old key has it no more',
    matches: (change) => isLeftAlone(change) && change.isWithdrawn,
    result: 'removed',
  },
];

/** The decision tables. The first row that matches decides; if none does, the current key stays as it is. */
export const KEY_DECISIONS: Readonly<Record<KeyHandling, readonly KeyDecision[]>> = { keep: KEEP, replace: REPLACE };

/** Decides what becomes of the current key. */
export const decideCurrentKey = (handling: KeyHandling, change: KeyChange): KeyResult =>
  KEY_DECISIONS[handling].find(({ matches }) => matches(change))?.result ?? 'unchanged';

/** Whether a copy stays although its old key is removed: a writer that renames the key cannot be told from one that removes it. */
export const isUnchangedCopy = (change: KeyChange): boolean =>
  isLeftAlone(change) && change.current === change.oldBefore;
