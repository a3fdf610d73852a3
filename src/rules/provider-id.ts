import { parseProviderId } from '../node/provider-id.ts';
import type { NodeSubject, Rule } from './rule.ts';
import { isManagedNode, providerIdOf } from './engine/managed-node.ts';

const FIELD = 'spec.providerID';
const ADVICE = { advice: true } as const;

/** Warns, and never denies, when a kubelet registers a Node: a kubelet cannot react to a denial, and the Node would be missing. */
export const providerId: Rule<NodeSubject> = {
  name: 'provider-id',
  kind: 'Node',
  tier: 'hygiene',
  tunable: true,
  doc: 'The provider id of a node names its region and its ECS instance, and never changes. For nodes outside this cloud, virtual nodes and excluded nodes, the rule checks only that the provider id does not change.',
  since: '0.1.0',
  examples: {
    before: `metadata:
  labels:
    team: shop
`,
    wrong: `metadata:
  labels:
    team: shop
spec:
  providerID: i-bp1abc
`,
    right: `metadata:
  labels:
    team: shop
spec:
  providerID: cn-hangzhou.i-bp1abc
`,
  },
  check: ({ object, before, byCluster }, facts) => {
    const value = providerIdOf(object);
    const was = before === undefined ? '' : providerIdOf(before.object);
    if (was !== '' && value !== was) return [{ field: FIELD, reason: 'Invalid', value, ...UNCHANGED }];
    if (value === '' || !isManagedNode(object)) return [];
    const id = parseProviderId(value);
    if (id === undefined) {
      const isSetByUser = before !== undefined && value !== was && byCluster !== true;
      return [{ field: FIELD, reason: 'Invalid', value, ...READABLE, ...(isSetByUser ? {} : ADVICE) }];
    }
    const regionId = facts.cluster()?.regionId ?? '';
    return regionId === '' || id.regionId === regionId
      ? []
      : [{ field: FIELD, reason: 'Invalid', value, ...ofRegion(regionId) }];
  },
};

const UNCHANGED = {
  detail: 'field is immutable',
  remedy: 'delete the Node, and let its kubelet register it again',
};

const READABLE = {
  detail:
    'must be the region and the id of the ECS instance, such as cn-hangzhou.i-bp1abc, with or without the prefix alicloud://',
  remedy: 'omit the field: the controller finds the instance',
};

const ofRegion = (regionId: string) => ({
  detail: `should name an instance in the region of this cluster, ${regionId}: other instances get no route and are no backends`,
  ...ADVICE,
});
