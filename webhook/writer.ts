import { z } from 'zod';

/** Where `kubectl apply` without `--server-side` keeps the manifest that it applied last. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export type Texts = Readonly<Record<string, string>>;

interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: object;
}

/** What is read of an object here, whatever its kind. */
export interface Carrier {
  readonly metadata: {
    readonly annotations?: Texts;
    readonly managedFields?: readonly ManagedFieldsEntry[];
  };
}

/** Who says of which keys that they belong there. */
export interface Declarations {
  /** Keys in the manifest that `kubectl apply` keeps in an annotation; absent without one. */
  readonly manifest?: ReadonlySet<string>;
  /** Keys that a manager of server-side apply owns. */
  readonly applied: ReadonlySet<string>;
  /** Keys that managers of other writes own. */
  readonly updated: ReadonlySet<string>;
}

const texts = z.record(z.string(), z.unknown()).nullish().catch(undefined);
const Manifest = z.object({ metadata: z.object({ annotations: texts }) });
const Owned = z.record(z.string(), z.unknown()).catch({});
const Fields = z.object({ 'f:metadata': z.object({ 'f:annotations': Owned.optional() }) });

function manifestKeys(object: Carrier): ReadonlySet<string> | undefined {
  const text = object.metadata.annotations?.[LAST_APPLIED];
  if (text === undefined) return undefined;
  try {
    const manifest = Manifest.safeParse(JSON.parse(text));
    return manifest.success ? new Set(Object.keys(manifest.data.metadata.annotations ?? {})) : undefined;
  } catch {
    // Whoever wrote it declares nothing that could be read.
    return undefined;
  }
}

/** The annotations that one record of ownership names. */
export function ownedKeysOf(entry: ManagedFieldsEntry): readonly string[] {
  const fields = Fields.safeParse(entry.fieldsV1);
  if (!fields.success) return [];
  return Object.keys(fields.data['f:metadata']['f:annotations'] ?? {}).flatMap((key) =>
    key.startsWith('f:') ? [key.slice(2)] : [],
  );
}

/** Reads who declares which annotations of an object; of a missing object nobody declares anything. */
export function declarationsOf(object: Carrier | undefined): Declarations {
  const entries = object?.metadata.managedFields ?? [];
  const ownedBy = (applies: boolean): ReadonlySet<string> =>
    new Set(
      entries.filter(({ operation }) => (operation === 'Apply') === applies).flatMap((entry) => ownedKeysOf(entry)),
    );
  const manifest = object === undefined ? undefined : manifestKeys(object);
  return { applied: ownedBy(true), updated: ownedBy(false), ...(manifest === undefined ? {} : { manifest }) };
}

const Options = z.object({ fieldManager: z.string().default('') }).catch({ fieldManager: '' });

/**
 * Whether the object of an update is a manifest as it stands in a file (`kubectl replace`, a chart tool that is told to force), and not the
 * stored object with changes: that names its UID, be it patched, or read and put back. The options do not tell: the API server sends
 * `UpdateOptions` for patches too.
 */
export const isManifest = ({ metadata }: { readonly metadata: { readonly uid?: string } }): boolean =>
  (metadata.uid ?? '') === '';

const isCommand = (fieldManager: string): boolean => fieldManager.startsWith('kubectl-');

/**
 * Whether a person changes what is stored, and so means all that the write takes away. A tool (an operator, Terraform) may have read the stored
 * object too, but says of it what it has always said, without looking.
 */
export const isByHand = (object: Parameters<typeof isManifest>[0], options: unknown): boolean =>
  !isManifest(object) && isCommand(Options.parse(options).fieldManager);

/** A person's commands that send no more than what changes: what is not mentioned may never have been seen. */
const SEND_CHANGES: ReadonlySet<string> = new Set(['kubectl-annotate', 'kubectl-patch', 'kubectl-client-side-apply']);

/** Whether a person says of the whole object what it is to be, as with `kubectl edit` and `kubectl replace`. */
export function bringsAll(options: unknown): boolean {
  const { fieldManager } = Options.parse(options);
  return isCommand(fieldManager) && !SEND_CHANGES.has(fieldManager);
}

/**
 * Whether it can be seen later that this writer takes a key out of its manifest: server-side apply, which owns what it applies;
 * `kubectl apply`, which keeps its manifest; and a person's other `kubectl` commands, which say what they do. A writer of patches
 * (a chart tool, an operator) sends a null for a key that is no longer there, and the object does not change.
 */
export function canBeFollowed(object: Carrier, options: unknown): boolean {
  const { fieldManager } = Options.parse(options);
  if (fieldManager === '') return false;
  if (isCommand(fieldManager)) return true;
  const own = (object.metadata.managedFields ?? []).filter(
    ({ manager, subresource }) => manager === fieldManager && (subresource ?? '') === '',
  );
  const newest = own
    .map(({ time }) => time ?? '')
    .sort()
    .at(-1);
  return own.some(({ operation, time }) => operation === 'Apply' && (time ?? '') === newest);
}
