import { deprecatedFormsOf, isKnownKey } from './deprecated.ts';

/** The annotation in which `kubectl apply` without `--server-side` stores its manifest. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

type Fields = Readonly<Record<string, unknown>>;

/** The metadata that this module reads. Clients write `managedFields` too, so no part of `managedFields` has a reliable type. */
export interface Annotated {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: unknown;
  };
}

/** The keys that one field manager owns by one kind of write. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly isApply: boolean;
  /** Whether the entry is outside every subresource, such as the status. */
  readonly isOfObject: boolean;
  /** Empty if it cannot be read. */
  readonly time: string;
  /** Absent if the entry cannot be read. */
  readonly keys?: readonly string[];
}

/** Who declares and who owns which annotations of one object. */
export interface KeyOwnership {
  /** Keys in the last-applied annotation; absent if there is none that can be read. */
  readonly lastApplied?: ReadonlySet<string>;
  /** Keys that managers of server-side apply own. */
  readonly applied: ReadonlySet<string>;
  /** Keys that managers of other writes own. */
  readonly updated: ReadonlySet<string>;
  /** Whether every source could be read. If not, a missing key proves nothing. */
  readonly isComplete: boolean;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Follows `path` into nested maps. A missing step yields an empty map, a step of another type `undefined`. */
function mapAt(value: unknown, path: readonly string[]): Fields | undefined {
  let at: unknown = value;
  for (const step of path) {
    if (!isFields(at)) return undefined;
    at = at[step] ?? {};
  }
  return isFields(at) ? at : undefined;
}

/** Returns the keys of an entry; absent if the entry lacks the operation or the fields that the API server always writes. */
function ownedKeys({ operation, fieldsV1 }: Fields): readonly string[] | undefined {
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  const owned = mapAt(fieldsV1, ['f:metadata', 'f:annotations']);
  return owned && Object.keys(owned).flatMap((key) => (key.startsWith('f:') ? [key.slice(2)] : []));
}

function entryIn(entry: unknown): ManagedFieldsEntry {
  const fields = isFields(entry) ? entry : {};
  const keys = ownedKeys(fields);
  return {
    manager: textOf(fields['manager']),
    isApply: fields['operation'] === 'Apply',
    isOfObject: textOf(fields['subresource']) === '',
    time: textOf(fields['time']),
    ...(keys === undefined ? {} : { keys }),
  };
}

/** Reads `managedFields`, an entry each, in their order. Never throws. */
export function managedFieldsEntries({ metadata: { managedFields } }: Annotated): readonly ManagedFieldsEntry[] {
  return Array.isArray(managedFields) ? managedFields.map(entryIn) : [];
}

function keysIn(manifest: string): ReadonlySet<string> | undefined {
  try {
    const annotations = mapAt(JSON.parse(manifest), ['metadata', 'annotations']);
    return annotations && new Set(Object.keys(annotations));
  } catch {
    return undefined;
  }
}

const NOTHING: KeyOwnership = { applied: new Set(), updated: new Set(), isComplete: true };

/** Returns the declarations of an object, none for a missing object. Never throws. */
export function keyOwnershipOf(object: Annotated | undefined): KeyOwnership {
  if (object === undefined) return NOTHING;
  const entries = managedFieldsEntries(object);
  const ownedBy = (isApply: boolean): ReadonlySet<string> =>
    new Set(entries.filter((each) => each.isApply === isApply).flatMap(({ keys }) => keys ?? []));
  const manifest = object.metadata.annotations?.[LAST_APPLIED];
  const lastApplied = manifest === undefined ? undefined : keysIn(manifest);
  return {
    applied: ownedBy(true),
    updated: ownedBy(false),
    isComplete:
      entries.every(({ keys }) => keys !== undefined) && (manifest === undefined || lastApplied !== undefined),
    ...(lastApplied === undefined ? {} : { lastApplied }),
  };
}

/** Whether a key is declared: in the last-applied annotation, or owned by a manager of server-side apply. */
export const isDeclared = ({ lastApplied, applied }: KeyOwnership, key: string): boolean =>
  lastApplied?.has(key) === true || applied.has(key);

/**
 * Returns the current keys of an object that only a webhook wrote: no manifest declares them, no client owns them, and no deprecated form is
 * left. They are copies of deprecated keys, or defaults of policies. Empty if the object comes without readable `managedFields`.
 */
export function unownedKeys(object: Annotated): readonly string[] {
  const { annotations = {}, managedFields } = object.metadata;
  if (!Array.isArray(managedFields) || managedFields.length === 0) return [];
  const ownership = keyOwnershipOf(object);
  if (!ownership.isComplete) return [];
  return Object.keys(annotations).filter((key) => {
    const forms = deprecatedFormsOf(key);
    const isCopy = isKnownKey(key) && forms.length > 0 && !forms.some((form) => Object.hasOwn(annotations, form));
    return isCopy && ![key, ...forms].some((form) => isDeclared(ownership, form) || ownership.updated.has(form));
  });
}
