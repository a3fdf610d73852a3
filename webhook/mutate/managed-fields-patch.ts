import { managedFieldsEntries, type Annotated } from '../../src/annotation/field-managers.ts';
import type { PatchOperation } from '../admission/admission-review.ts';

/** The field manager of `kubectl apply` without `--server-side`. */
const CLIENT_SIDE_APPLY = 'kubectl-client-side-apply';

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns operations that rename replaced keys in the `managedFields` of `kubectl apply`, to prevent conflicts of a later server-side apply. */
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
