import { hasFinalizer } from '../clb/model/service-status.ts';
import type { Violation, Rule } from './rule.ts';
import { FINALIZER_FIELD, haveSameMetadata, controllerMetadataOf } from './engine/controller-metadata.ts';
import { wantsLoadBalancer } from './engine/subject.ts';

const NONE: readonly Violation[] = [];

export const controllerMetadata: Rule = {
  name: 'own-marks',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'The labels and the finalizer by which the controller remembers what it has done are left to it. An edit is not denied: it costs a full check, and taking the finalizer from a Service that gives its load balancer up can leave that behind.',
  since: '0.1.0',
  judgesOthers: true,
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
    const isLeaving = before !== undefined && (wantsLoadBalancer(before.object) || hasFinalizer(before.object));
    if (!isOurs && !isLeaving) return NONE;
    // While the Service wants a load balancer, the controller restores labels and finalizer by itself.
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
  found: now ?? '',
  allowed: was === undefined ? 'nothing, before the controller writes it' : `"${was}", as the controller wrote it`,
  fix: isLost && now === undefined && field === FINALIZER_FIELD ? TAKEN_OFF : 'leave it to the controller',
  advice: true,
});

const TAKEN_OFF =
  'put it back, or look in the cloud afterwards: without it what the Service has there may stay, and go on costing';
