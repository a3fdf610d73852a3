import type { PatchOperation } from './review.ts';
import type { Declarations, Texts } from './writer.ts';

/** `replace`: the old key leaves the stored object. `keep`: it stays, and the new key mirrors it. */
export type Handling = 'replace' | 'keep';

/** A current key with all its deprecated forms that somebody mentions, the one that counts first. */
export interface KeyGroup {
  readonly current: string;
  readonly olds: readonly string[];
  /** Whether somebody has both of them stored, and relies on the old one: it stays whoever writes. */
  readonly isPair?: boolean;
  /** Why the current key is not to go with the old one; absent where it may. */
  readonly stays?: Stays | undefined;
}

/** `fixed`: without the key the request would be refused. `left-in`: whoever writes has seen the key, and has not taken it out. */
export type Stays = 'fixed' | 'left-in';

/** A key that is not to be used, and the one that counts instead. */
export interface KeyPair {
  readonly old: string;
  readonly current: string;
}

/** One object's annotations, with who declares what in it. */
export interface Side {
  readonly values: Texts;
  readonly declared: Declarations;
}

export interface Rewrite {
  readonly operations: readonly PatchOperation[];
  /** The annotations with them carried out. */
  readonly values: Texts;
  /** Deprecated keys that the request holds, each with the current one, and whether that has its value. */
  readonly deprecated: readonly (KeyPair & { readonly isStored: boolean })[];
  /** Those that leave the object. */
  readonly replaced: readonly KeyPair[];
  /** Pairs that the request sets to different values; the second counts, which is an old one too where there is no current one. */
  readonly contradictions: readonly KeyPair[];
  /** Current keys that go because the old one does of which they were the copy. */
  readonly gone: readonly KeyPair[];
  /** Current keys that stay although the old one goes of which they were the copy. */
  readonly orphans: readonly (KeyPair & { readonly stays: Stays })[];
}

/** What a group comes to: the current key's value from now on, and whether the old keys go. */
interface Resolution {
  readonly value: string | undefined;
  readonly dropOld: boolean;
  readonly contradiction?: true;
  /** Where it was the copy of an old key that goes. */
  readonly stays?: Stays;
}

const isDeclared = ({ declared }: Side, key: string): boolean =>
  declared.manifest?.has(key) === true || declared.applied.has(key);

function keep({ current, olds, stays }: KeyGroup, after: Side, before: Side): Resolution {
  const old = olds.find((key) => key in after.values);
  const now = after.values[current];
  const was = before.values[current];
  if (old === undefined) {
    const mirrored = olds.map((key) => before.values[key]).find((value) => value !== undefined);
    const orphaned = now !== undefined && now === was && now === mirrored && !isDeclared(after, current);
    if (orphaned && stays !== undefined) return { value: now, dropOld: false, stays };
    return { value: orphaned ? undefined : now, dropOld: false };
  }
  const wanted = after.values[old];
  const oldChanged = wanted !== before.values[old];
  const follows = oldChanged && now === was && !isDeclared(after, current);
  if (now === undefined || follows) return { value: wanted, dropOld: false };
  return { value: now, dropOld: false, ...(oldChanged && now !== wanted ? { contradiction: true } : {}) };
}

function replace({ current, olds }: KeyGroup, after: Side, before: Side): Resolution {
  const old = olds.find((key) => key in after.values);
  const now = after.values[current];
  const was = before.values[current];
  if (old === undefined) {
    const orphaned = now !== undefined && now === was && wasWithdrawn({ current, olds }, after, before);
    return { value: orphaned ? undefined : now, dropOld: false };
  }
  const wanted = after.values[old];
  // A request that is about something else must not change what has counted so far.
  const isSettled = now === was && wanted === before.values[old] && !isDeclared(after, old);
  const ownWill = now !== undefined && now !== wanted && (now !== was || isDeclared(after, current) || isSettled);
  return ownWill ? { value: now, dropOld: true, contradiction: true } : { value: wanted, dropOld: true };
}

/**
 * Whether whoever had asked for the old key asks no more. Who applies a manifest by himself takes the key away whoever else wrote it;
 * who applies at the server takes away only what nobody else owns. That must not be mistaken for a request
 * that brings the old key, looked at a second time after it was replaced: such a one has a manifest with the key, has none at all, or
 * makes its writer own it.
 */
function wasWithdrawn({ current, olds }: KeyGroup, after: Side, before: Side): boolean {
  const [then, now] = [before.declared, after.declared];
  const some = (keys: ReadonlySet<string> | undefined): boolean => olds.some((key) => keys?.has(key) === true);
  if (isDeclared(after, current)) return false;
  if (some(then.manifest) && now.manifest !== undefined && !some(now.manifest)) return true;
  const lostByApply = some(then.applied) && !some(now.applied) && (some(then.updated) || !some(now.updated));
  return lostByApply && !now.updated.has(current);
}

/** A key as one step of a JSON pointer. */
const pointer = (key: string): string => `/metadata/annotations/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Old keys of a request whose values do not count, each with the one that does; of what was stored so before, only the old ones among each other. */
function contradictionsIn(
  { current, olds }: KeyGroup,
  { values }: Side,
  { value, contradiction }: Resolution,
): readonly KeyPair[] {
  const [first, ...others] = olds.filter((key) => key in values);
  if (first === undefined) return [];
  const counts = values[current] === value ? current : first;
  const told = contradiction === true ? [first, ...others] : others;
  return told.filter((key) => values[key] !== value).map((key) => ({ old: key, current: counts }));
}

const UNTOUCHED: Omit<Rewrite, 'values'> = {
  operations: [],
  deprecated: [],
  replaced: [],
  contradictions: [],
  gone: [],
  orphans: [],
};

/** What is to be done about the groups, for a request that changes `before` into `after`. Doing it twice does nothing the second time. */
export function rewrite(groups: readonly KeyGroup[], after: Side, before: Side, handling: Handling): Rewrite {
  // Of almost every Service; nothing is copied then.
  if (groups.length === 0) return { ...UNTOUCHED, values: after.values };
  const operations: PatchOperation[] = [];
  const values = new Map(Object.entries(after.values));
  const deprecated: Rewrite['deprecated'][number][] = [];
  const replaced: KeyPair[] = [];
  const contradictions: KeyPair[] = [];
  const gone: KeyPair[] = [];
  const orphans: Rewrite['orphans'][number][] = [];
  for (const group of groups) {
    const { current } = group;
    const present = group.olds.filter((key) => key in after.values).map((old) => ({ old, current }));
    const resolve = handling === 'keep' || group.isPair === true ? keep : replace;
    const resolution = resolve(group, after, before);
    const { value, dropOld, stays } = resolution;
    if (value !== after.values[current]) {
      const path = pointer(current);
      if (value === undefined) {
        operations.push({ op: 'remove', path });
        values.delete(current);
        gone.push(...group.olds.slice(0, 1).map((old) => ({ old, current })));
      } else {
        operations.push({ op: 'add', path, value });
        values.set(current, value);
      }
    }
    if (stays !== undefined) orphans.push(...group.olds.slice(0, 1).map((old) => ({ old, current, stays })));
    if (dropOld) {
      operations.push(...present.map(({ old }) => ({ op: 'remove' as const, path: pointer(old) })));
      for (const { old } of present) values.delete(old);
      replaced.push(...present);
    }
    contradictions.push(...contradictionsIn(group, after, resolution));
    deprecated.push(...present.map((pair) => ({ ...pair, isStored: after.values[pair.old] === value })));
  }
  return { operations, values: Object.fromEntries(values), deprecated, replaced, contradictions, gone, orphans };
}

/** The same where some current keys are there for another reason than the old ones: they do not go with these. */
export function stayingBy(keys: ReadonlySet<string>, rewritten: Rewrite): Rewrite {
  const gone = rewritten.gone.filter(({ current }) => !keys.has(current));
  if (gone.length === rewritten.gone.length) return rewritten;
  const paths = new Set([...keys].map(pointer));
  const operations = rewritten.operations.filter(({ op, path }) => op !== 'remove' || !paths.has(path));
  return { ...rewritten, operations, gone };
}
