import { deprecatedFormsOf, isKnownKey } from './deprecated-key-index.ts';

/** The annotation in which `kubectl apply` without `--server-side` stores its manifest. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

type Fields = Readonly<Record<string, unknown>>;

/** An object with annotations. Clients can write any content to `managedFields`, so the content is checked before use. */
export interface Annotated {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: unknown;
  };
}

/** An entry of `managedFields`: the annotations that a field manager owns through one operation. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly isApply: boolean;
  /** False for an entry of a subresource, such as the status. */
  readonly isOfObject: boolean;
  /** The time in RFC 3339. Empty if the time is not a string. */
  readonly time: string;
  /** The annotation keys. Undefined if the entry is malformed. */
  readonly keys?: readonly string[];
}

/** The annotation keys that clients wrote. The webhook must not remove the annotations of clients. */
export interface KeyOwnership {
  /** Keys in the last-applied annotation. Undefined if the annotation is missing or malformed. */
  readonly lastApplied?: ReadonlySet<string>;
  /** Keys owned through server-side apply. */
  readonly applied: ReadonlySet<string>;
  /** Keys owned through any other write. */
  readonly updated: ReadonlySet<string>;
  /** False if an entry or the last-applied annotation is malformed, so that clients may own keys outside these sets. */
  readonly isComplete: boolean;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the map at a path. Returns an empty map if a step is missing, and undefined if a step is not a map. */
function mapAt(value: unknown, path: readonly string[]): Fields | undefined {
  let at: unknown = value;
  for (const step of path) {
    if (!isFields(at)) return undefined;
    at = at[step] ?? {};
  }
  return isFields(at) ? at : undefined;
}

/** Returns the annotation keys of an entry. Returns undefined without `operation` or `fieldsV1`, which the API server always writes. */
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

/** Returns the entries of `managedFields`, with their indexes unchanged, or an empty list if `managedFields` is not a list. Never throws. */
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

/** Returns the key ownership of an object. Returns an empty ownership if the object does not exist. Never throws. */
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

/** Returns whether a manifest contains a key, according to the last-applied annotation or to server-side apply. */
export const isDeclared = ({ lastApplied, applied }: KeyOwnership, key: string): boolean =>
  lastApplied?.has(key) === true || applied.has(key);

/** Returns the keys that the webhook added and no client owns. Empty without valid `managedFields`. */
export function unownedKeys(object: Annotated): readonly string[] {
  const { annotations = {}, managedFields } = object.metadata;
  if (!Array.isArray(managedFields) || managedFields.length === 0) return [];
  const ownership = keyOwnershipOf(object);
  if (!ownership.isComplete) return [];
  return Object.keys(annotations).filter((key) => {
    const forms = deprecatedFormsOf(key);
    // The key may be a policy default, or replace a removed deprecated key.
    const mayBeAdded = isKnownKey(key) && forms.length > 0 && !forms.some((form) => Object.hasOwn(annotations, form));
    return mayBeAdded && ![key, ...forms].some((form) => isDeclared(ownership, form) || ownership.updated.has(form));
  });
}
