import { z } from 'zod';
import { managedFieldsEntries, type Annotated } from '../src/annotation/field-ownership.ts';

export type Texts = Readonly<Record<string, string>>;

const Options = z.object({ fieldManager: z.string().default('') }).catch({ fieldManager: '' });

/** The field manager that a request names; empty if it names none. */
export const fieldManagerOf = (options: unknown): string => Options.parse(options).fieldManager;

/**
 * Whether the object of an update is a manifest as it stands in a file (`kubectl replace`, a chart tool that is told to force), and not the
 * stored object with changes: that names its UID, be it patched, or read and put back. The options do not tell: the API server sends
 * `UpdateOptions` for patches too.
 */
export const isManifest = ({ metadata }: { readonly metadata: { readonly uid?: string } }): boolean =>
  (metadata.uid ?? '') === '';

/** Whether a user's own `kubectl` command writes: `kubectl apply` (client-side), `edit`, `annotate`, `patch`, `replace`. */
const isCommand = (fieldManager: string): boolean => fieldManager.startsWith('kubectl-');

/**
 * Whether a person changes what is stored, and so means all that the write takes away. A tool (an operator, Terraform) may have read the stored
 * object too, but says of it what it has always said, without looking.
 */
export const isByHand = (object: Parameters<typeof isManifest>[0], options: unknown): boolean =>
  !isManifest(object) && isCommand(fieldManagerOf(options));

/**
 * Whether the request is a server-side apply. The review does not say it: the newest entry of its field manager has to be of an apply.
 * A manager that has written both ways at times that cannot be told apart counts as one that updates.
 */
export function isApply(object: Annotated, fieldManager: string): boolean {
  if (fieldManager === '') return false;
  const own = managedFieldsEntries(object).filter(({ manager, isOfObject }) => manager === fieldManager && isOfObject);
  const applies = own.filter((each) => each.isApply);
  const updates = own.filter((each) => !each.isApply);
  return applies.some(({ time }) => updates.every((update) => update.time !== '' && time > update.time));
}

/** The field managers of Argo CD: it compares what it wrote with what is stored, whichever way it applies. */
const isArgoCd = (fieldManager: string): boolean => fieldManager.startsWith('argocd-');

/** Whether it is seen when this writer removes a key from its manifest, and a key that is replaced is no drift to it. */
export function canBeFollowed(object: Annotated, options: unknown): boolean {
  const fieldManager = fieldManagerOf(options);
  return !isArgoCd(fieldManager) && (isCommand(fieldManager) || isApply(object, fieldManager));
}

/** The commands that send a patch even if it changes nothing. */
const SEND_EMPTY: ReadonlySet<string> = new Set(['kubectl-annotate', 'kubectl-patch']);

/** Whether a user's command may remove what is not there. */
export const mayChangeNothing = (options: unknown): boolean => SEND_EMPTY.has(fieldManagerOf(options));
