import { z } from 'zod';
import { managedFieldsEntries, type Annotated } from '../../src/annotation/field-ownership.ts';

export type StringMap = Readonly<Record<string, string>>;

const Options = z.object({ fieldManager: z.string().default('') }).catch({ fieldManager: '' });

/** Returns the field manager of a request; empty if it names none. */
export const fieldManagerOf = (options: unknown): string => Options.parse(options).fieldManager;

/**
 * Returns whether an update sends a whole manifest (`kubectl replace`, a forced chart tool). A changed stored object has its UID instead. The options
 * do not tell, because the API server sends `UpdateOptions` for patches too.
 */
export const isFullManifest = ({ metadata }: { readonly metadata: { readonly uid?: string } }): boolean =>
  (metadata.uid ?? '') === '';

/** Returns whether a user's `kubectl` command writes: `apply` (client-side), `edit`, `annotate`, `patch` or `replace`. */
const isCommand = (fieldManager: string): boolean => fieldManager.startsWith('kubectl-');

/**
 * Returns whether a user changes the stored object, so that each removal is on purpose. A tool (operator, Terraform) may read the stored object too,
 * but repeats its own manifest.
 */
export const isInteractive = (object: Parameters<typeof isFullManifest>[0], options: unknown): boolean =>
  !isFullManifest(object) && isCommand(fieldManagerOf(options));

/**
 * Returns whether the request is a server-side apply. The review does not contain that, so the newest entry of its field manager decides.
 * If an apply and an update have the same time, the request counts as an update.
 */
export function isApply(object: Annotated, fieldManager: string): boolean {
  if (fieldManager === '') return false;
  const own = managedFieldsEntries(object).filter(({ manager, isOfObject }) => manager === fieldManager && isOfObject);
  const applies = own.filter((each) => each.isApply);
  const updates = own.filter((each) => !each.isApply);
  return applies.some(({ time }) => updates.every((update) => update.time !== '' && time > update.time));
}

/** Returns whether Argo CD writes. It compares its manifest with the stored object, whichever way it applies. */
const isArgoCd = (fieldManager: string): boolean => fieldManager.startsWith('argocd-');

/** Returns whether requests of this writer show removed keys, and a replaced key is no drift for the writer. */
export function canBeFollowed(object: Annotated, options: unknown): boolean {
  const fieldManager = fieldManagerOf(options);
  return !isArgoCd(fieldManager) && (isCommand(fieldManager) || isApply(object, fieldManager));
}

/** The field managers of commands that send a patch even if it changes nothing. */
const SEND_EMPTY: ReadonlySet<string> = new Set(['kubectl-annotate', 'kubectl-patch']);

/** Returns whether a user's command may remove a key that is not stored. */
export const mayChangeNothing = (options: unknown): boolean => SEND_EMPTY.has(fieldManagerOf(options));
