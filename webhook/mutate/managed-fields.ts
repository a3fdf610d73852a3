import { managedFieldsEntries, type Annotated } from '../../src/annotation/field-ownership.ts';
import type { PatchOperation } from '../admission/review.ts';

/** What `kubectl apply` calls itself without `--server-side`. */
const CLIENT_SIDE_APPLY = 'kubectl-client-side-apply';

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Operations by which `kubectl apply` owns the current keys instead of the old ones that it brought. The API server does not see what
 * webhooks change: it would hold it for the owner of a key that is not there, and deny the same manifest to `kubectl apply
 * --server-side` as a conflict. Other writers' records stay as they are, so that their conflicts are seen.
 */
export function renameOwned(
  object: Annotated,
  renamed: readonly { readonly old: string; readonly current: string }[],
): readonly PatchOperation[] {
  return managedFieldsEntries(object).flatMap(({ manager, isApply, keys }, index) => {
    if (manager !== CLIENT_SIDE_APPLY || isApply) return [];
    const owned = new Set(keys);
    const folder = `/metadata/managedFields/${index}/fieldsV1/f:metadata/f:annotations`;
    return renamed
      .filter(({ old }) => owned.has(old))
      .flatMap(({ old, current }): readonly PatchOperation[] => [
        { op: 'remove', path: `${folder}/f:${escaped(old)}` },
        { op: 'add', path: `${folder}/f:${escaped(current)}`, value: {} },
      ]);
  });
}
