import { hasFinalizer } from '../clb/model/provisioning-evidence.ts';
import { quoted } from '../base/field-error.ts';
import type { Violation, Rule } from './rule.ts';
import { FINALIZER_FIELD, haveSameMetadata, controllerMetadataOf } from './engine/controller-metadata.ts';
import { wantsLoadBalancer } from './engine/subject.ts';

const NONE: readonly Violation[] = [];

/** Only warns, because the controller restores the labels and the finalizer of each Service that it manages. */
export const controllerMetadata: Rule = {
  name: 'controller-metadata',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'Only the controller writes its labels and its finalizer. The rule warns about an edit of a user. Without the finalizer, the load balancer can become an orphan.',
  since: '0.1.0',
  checksOtherServices: true,
  examples: {
    before: `metadata:
  labels:
    service.beta.kubernetes.io/hash: 3fa9c1
`,
    wrong: `metadata:
  labels:
    service.beta.kubernetes.io/hash: none
`,
    right: `metadata:
  labels:
    service.beta.kubernetes.io/hash: 3fa9c1
    team: shop
`,
  },
  check: ({ object, before }) => {
    if (haveSameMetadata(before?.object, object)) return NONE;
    const isOurs = wantsLoadBalancer(object);
    const hadResources = before !== undefined && (wantsLoadBalancer(before.object) || hasFinalizer(before.object));
    if (!isOurs && !hadResources) return NONE;
    // The controller restores the finalizer only if the Service requests a load balancer and is not being deleted.
    const isLost = !isOurs || before?.object.metadata.deletionTimestamp !== undefined;
    const now = controllerMetadataOf(object);
    const was = before === undefined ? {} : controllerMetadataOf(before.object);
    return [...new Set([...Object.keys(was), ...Object.keys(now)])]
      .filter((field) => now[field] !== was[field] && (isOurs || field === FINALIZER_FIELD))
      .map((field) => violationOf(field, now[field], was[field], isLost));
  },
};

const violationOf = (field: string, now: string | undefined, was: string | undefined, isLost: boolean): Violation => ({
  field,
  reason: 'Invalid',
  value: now ?? '',
  detail: 'only the controller writes this field',
  remedy:
    isLost && now === undefined && field === FINALIZER_FIELD
      ? REMOVED
      : was === undefined
        ? 'undo the change'
        : `restore ${quoted(was)}`,
  advice: true,
});

const REMOVED = 'restore the finalizer: without it, the load balancer may stay in the cloud and be billed';
