import { isDeclared, type KeyOwnership } from '../../src/annotation/field-managers.ts';
import { decideCurrentKey, isUnchangedCopy, type KeyHandling, type KeyChange } from './current-key-decisions.ts';
import type { PatchOperation } from '../admission/admission-review.ts';
import type { StringMap } from './request-field-manager.ts';

/** A current key with its deprecated forms in the request or the stored object. The first deprecated form takes precedence. */
export interface KeyGroup {
  readonly current: string;
  readonly deprecatedForms: readonly string[];
}

/** A deprecated key and the current key that replaces it. */
export interface DeprecatedPair {
  readonly old: string;
  readonly current: string;
}

/** The annotations of the new or the stored object, with the owners of the keys. */
export interface Side {
  readonly values: StringMap;
  readonly ownership: KeyOwnership;
}

/** A request that changes `before` into `after`. */
export interface KeyRequest {
  readonly after: Side;
  readonly before: Side;
  /** True for a server-side apply. */
  readonly isApply: boolean;
}

/** A deprecated key in a request. */
export interface RequestedDeprecatedKey extends DeprecatedPair {
  /** True if the old key is removed from the object. */
  readonly isReplaced: boolean;
  /** True if the current key has the value of the old key. */
  readonly takesEffect: boolean;
}

/** The result of rewriting the deprecated keys of a request. */
export interface Rewrite {
  readonly operations: readonly PatchOperation[];
  /** The annotations after the operations. */
  readonly values: StringMap;
  readonly deprecated: readonly RequestedDeprecatedKey[];
  /** Pairs with different values. `current` is the key whose value takes effect, which can also be the first deprecated form. */
  readonly contradictions: readonly DeprecatedPair[];
  /** Current keys that the webhook removes, because the request removes their old key. */
  readonly removedCopies: readonly DeprecatedPair[];
  /** Current keys that stay although the request removes their old key. */
  readonly keptCopies: readonly DeprecatedPair[];
}

/** Returns whether the request removes the old key from the last manifest that declared the key. */
function isWithdrawn({ current, deprecatedForms }: KeyGroup, { after, before, isApply }: KeyRequest): boolean {
  const [then, now] = [before.ownership, after.ownership];
  const some = (keys: ReadonlySet<string> | undefined): boolean =>
    deprecatedForms.some((key) => keys?.has(key) === true);
  if (!now.isComplete || some(now.applied)) return false;
  // The request owns an added key, so a second webhook call finds no removal.
  const isAdded = some(now.updated) && !some(then.updated);
  const leftManifest = some(then.lastApplied) && now.lastApplied !== undefined && !some(now.lastApplied);
  return (leftManifest && !isAdded) || (isApply && some(then.applied) && !now.updated.has(current));
}

function changeOf(group: KeyGroup, request: KeyRequest): KeyChange {
  const { after, before } = request;
  const { current, deprecatedForms } = group;
  const present = deprecatedForms.find((key) => key in after.values);
  const presentBefore = present ?? deprecatedForms.find((key) => key in before.values);
  return {
    old: present === undefined ? undefined : after.values[present],
    oldBefore: presentBefore === undefined ? undefined : before.values[presentBefore],
    current: after.values[current],
    currentBefore: before.values[current],
    isDeclared: isDeclared(after.ownership, current),
    isOldDeclared: present !== undefined && isDeclared(after.ownership, present),
    isWithdrawn: isWithdrawn(group, request),
  };
}

/** Returns the JSON pointer to an annotation. */
const pointer = (key: string): string => `/metadata/annotations/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Returns the old keys whose values have no effect, each with the key whose value takes effect. */
function contradictionsIn(
  { current, deprecatedForms }: KeyGroup,
  values: StringMap,
  effective: Effective,
): readonly DeprecatedPair[] {
  const [first, ...others] = deprecatedForms.filter((key) => key in values);
  if (first === undefined) return [];
  const effectiveKey = values[current] === effective.value ? current : first;
  const ineffective = effective.isContradicted ? [first, ...others] : others;
  return ineffective.filter((key) => values[key] !== effective.value).map((old) => ({ old, current: effectiveKey }));
}

/** The value of a current key after the rewrite. */
interface Effective {
  readonly value: string | undefined;
  readonly isContradicted: boolean;
}

const NOTHING: Rewrite = {
  operations: [],
  values: {},
  deprecated: [],
  contradictions: [],
  removedCopies: [],
  keptCopies: [],
};

/** Rewrites the keys of one group. `values` of the result has only the keys of the group. */
function rewriteGroup(group: KeyGroup, request: KeyRequest, handling: KeyHandling): Rewrite {
  const { current, deprecatedForms } = group;
  const { values: after } = request.after;
  const change = changeOf(group, request);
  const result = decideCurrentKey(handling, change);
  const value = {
    'takes-old-value': change.old,
    'ignores-old-value': change.current,
    removed: undefined,
    unchanged: change.current,
  }[result];
  const present = deprecatedForms.filter((key) => key in after);
  const isReplaced = handling === 'replace';
  const first = deprecatedForms.slice(0, 1).map((old) => ({ old, current }));
  const isCopyKept = handling === 'keep' && result === 'unchanged' && isUnchangedCopy(change);
  return {
    operations: [
      ...(value === change.current ? [] : [setTo(current, value)]),
      ...(isReplaced ? present.map((old) => setTo(old, undefined)) : []),
    ],
    values: Object.fromEntries([
      ...(value === undefined ? [] : [[current, value] as const]),
      ...(isReplaced ? [] : present.map((old) => [old, after[old] ?? ''] as const)),
    ]),
    deprecated: present.map((old) => ({ old, current, isReplaced, takesEffect: after[old] === value })),
    contradictions: contradictionsIn(group, after, { value, isContradicted: result === 'ignores-old-value' }),
    removedCopies: result === 'removed' ? first : [],
    keptCopies: isCopyKept ? first : [],
  };
}

const setTo = (key: string, value: string | undefined): PatchOperation =>
  value === undefined ? { op: 'remove', path: pointer(key) } : { op: 'add', path: pointer(key), value };

/** Rewrites the deprecated keys of a Service. A second call with the result changes nothing. */
export function rewrite(
  groups: readonly KeyGroup[],
  request: KeyRequest,
  handlingOf: (group: KeyGroup) => KeyHandling,
): Rewrite {
  const { values } = request.after;
  // Most Services have no deprecated keys, so their annotations are not copied.
  if (groups.length === 0) return { ...NOTHING, values };
  const rewrites = groups.map((group) => rewriteGroup(group, request, handlingOf(group)));
  const known = new Set(groups.flatMap(({ current, deprecatedForms }) => [current, ...deprecatedForms]));
  const others = Object.entries(values).filter(([key]) => !known.has(key));
  return {
    operations: rewrites.flatMap(({ operations }) => operations),
    values: Object.fromEntries([...others, ...rewrites.flatMap((each) => Object.entries(each.values))]),
    deprecated: rewrites.flatMap(({ deprecated }) => deprecated),
    contradictions: rewrites.flatMap(({ contradictions }) => contradictions),
    removedCopies: rewrites.flatMap((each) => each.removedCopies),
    keptCopies: rewrites.flatMap(({ keptCopies }) => keptCopies),
  };
}

/** Returns the rewrite without the removal of `keys`, the current keys that defaults of policies set. */
export function withoutRemovalOf(keys: ReadonlySet<string>, rewritten: Rewrite): Rewrite {
  const removedCopies = rewritten.removedCopies.filter(({ current }) => !keys.has(current));
  if (removedCopies.length === rewritten.removedCopies.length) return rewritten;
  const paths = new Set([...keys].map(pointer));
  const operations = rewritten.operations.filter(({ op, path }) => op !== 'remove' || !paths.has(path));
  return { ...rewritten, operations, removedCopies };
}
