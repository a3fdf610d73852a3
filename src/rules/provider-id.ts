import { parseProviderId } from '../node/provider-id.ts';
import type { NodeSubject, Rule } from './rule.ts';
import { isManagedNode, providerIdOf } from './engine/nodes.ts';

const FIELD = 'spec.providerID';
const ADVICE = { advice: true } as const;

/** Never denies the registration of a Node: a kubelet may have a wrong setting and could not read the reason. */
export const providerId: Rule<NodeSubject> = {
  name: 'provider-id',
  kind: 'Node',
  tier: 'hygiene',
  tunable: true,
  doc: "A node's provider id names its ECS instance and its region, in a form that can be read, because it is written once and never changed. Nodes outside this cloud, virtual and excluded ones are left alone.",
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
    const found = providerIdOf(object);
    const was = before === undefined ? '' : providerIdOf(before.object);
    if (was !== '' && found !== was) return [{ field: FIELD, found, ...UNCHANGED }];
    if (found === '' || !isManagedNode(object)) return [];
    const id = parseProviderId(found);
    if (id === undefined) {
      const isSetByPerson = before !== undefined && found !== was && byCluster !== true;
      return [{ field: FIELD, found, ...READABLE, ...(isSetByPerson ? {} : ADVICE) }];
    }
    const regionId = facts.cluster()?.regionId ?? '';
    return regionId === '' || id.regionId === regionId ? [] : [{ field: FIELD, found, ...ofRegion(regionId) }];
  },
};

const UNCHANGED = {
  allowed: 'what it was, because a provider id is written once',
  fix: 'undo the change, or delete the Node and let its kubelet register it again',
};

const READABLE = {
  allowed:
    'the region and the id of the ECS instance, such as cn-hangzhou.i-bp1abc, with or without alicloud:// before it',
  fix: 'write these two, or leave it to the controller, which finds the instance',
};

const ofRegion = (regionId: string) => ({
  allowed: `an instance in ${regionId}, the region of this cluster`,
  fix: 'look whether the id is the right one: an instance in another region gets no route and is no backend',
  ...ADVICE,
});
