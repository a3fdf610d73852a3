import { pick } from '../base/pick.ts';
import type { ObjectMeta } from '../base/kubernetes-objects.ts';

/** Returns the part of the metadata that caches keep of most kinds: the identity, and the times of creation and deletion. */
export const identityOf = <Meta extends ObjectMeta>(meta: Meta) =>
  pick(meta, 'name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp');
