import { pick } from '../base/pick.ts';
import type { ObjectMeta } from '../base/objects.ts';

/** Returns the metadata that identifies an object, with its age and the time of its deletion. */
export const identityOf = <Meta extends ObjectMeta>(meta: Meta) =>
  pick(meta, 'name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp');
