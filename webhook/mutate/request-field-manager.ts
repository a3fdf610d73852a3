import { z } from 'zod';
import { managedFieldsEntries, type Annotated } from '../../src/annotation/field-managers.ts';

export type StringMap = Readonly<Record<string, string>>;

const Options = z.object({ fieldManager: z.string().default('') }).catch({ fieldManager: '' });

/** Returns the field manager of a request, or an empty string if the request names none. */
export const fieldManagerOf = (options: unknown): string => Options.parse(options).fieldManager;

/** Returns whether an update sends a whole manifest, as `kubectl replace` does. A whole manifest has no UID, unlike an edited or patched object. */
export const isFullManifest = ({ metadata }: { readonly metadata: { readonly uid?: string } }): boolean =>
  // The options prove nothing, because the API server sends `UpdateOptions` also for patches.
  (metadata.uid ?? '') === '';

/** Returns whether the field manager is a `kubectl` command: `apply` (client-side), `edit`, `annotate`, `patch` or `replace`. */
const isCommand = (fieldManager: string): boolean => fieldManager.startsWith('kubectl-');

/** Returns whether a user edits the stored object with `kubectl`, so that each removal is on purpose. */
export const isInteractive = (object: Parameters<typeof isFullManifest>[0], options: unknown): boolean =>
  // Operators and Terraform also send a UID, but repeat their own manifests.
  !isFullManifest(object) && isCommand(fieldManagerOf(options));

/** Returns whether the writer's newest `managedFields` entry is a server-side apply, because a review does not show the kind of request. */
export function isApply(object: Annotated, fieldManager: string): boolean {
  if (fieldManager === '') return false;
  const own = managedFieldsEntries(object).filter(({ manager, isOfObject }) => manager === fieldManager && isOfObject);
  const applies = own.filter((each) => each.isApply);
  const updates = own.filter((each) => !each.isApply);
  return applies.some(({ time }) => updates.every((update) => update.time !== '' && time > update.time));
}

/** Returns whether the field manager is Argo CD, which compares its manifest with the stored object after every kind of apply. */
const isArgoCd = (fieldManager: string): boolean => fieldManager.startsWith('argocd-');

/** Returns whether the webhook may replace deprecated keys for a writer. */
export function mayReplaceKeysFor(object: Annotated, options: unknown): boolean {
  const fieldManager = fieldManagerOf(options);
  // Argo CD reports replaced keys as drift. For all other writers, only kubectl commands and server-side applies show which keys are removed.
  return !isArgoCd(fieldManager) && (isCommand(fieldManager) || isApply(object, fieldManager));
}

/** The field managers of commands that send a patch even if the patch changes nothing. */
const SEND_EMPTY_PATCHES: ReadonlySet<string> = new Set(['kubectl-annotate', 'kubectl-patch']);

/** Returns whether the writer sends patches that change nothing, such as the removal of a deprecated key that the webhook has replaced. */
export const mayChangeNothing = (options: unknown): boolean => SEND_EMPTY_PATCHES.has(fieldManagerOf(options));
