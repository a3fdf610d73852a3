import { pick } from '../base/pick.ts';
import type { ObjectMeta } from '../base/objects.ts';

/** Returns who an object is, how old it is, and whether it is being deleted. */
export const identityOf = <Meta extends ObjectMeta>(meta: Meta) =>
  pick(meta, 'name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp');
