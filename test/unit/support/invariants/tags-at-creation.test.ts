import { called, testInvariant, OWNER } from '../../../support/invariants/history-builders.ts';
import { tagsAtCreation } from '../../../support/invariants/invariants/tags-at-creation.ts';
import { CLUSTER_TAG, OWNER_TAG } from '../../../support/invariants/ownership.ts';

const OWNED = { 'Tag.1.Key': OWNER_TAG, 'Tag.1.Value': OWNER };
const NAME = 'k8s/80/web/shop/c1';
const create = (what: string, parameters: Readonly<Record<string, string>>) => called(`Create${what}`, { parameters });

/** A process can be killed after the creation, so without tags in the creating call, the resource would have no proof of its owner. */
testInvariant(tagsAtCreation, {
  keep: {
    'the creation has all tags': [
      ...create('LoadBalancer', { ...OWNED, 'Tag.2.Key': CLUSTER_TAG, 'Tag.2.Value': 'c1' }),
      ...create('VServerGroup', { VServerGroupName: NAME }),
      ...create('LoadBalancerTCPListener', { Description: NAME }),
    ],
  },
  break: {
    'a load balancer is created without an owner': create('LoadBalancer', {
      'Tag.1.Key': CLUSTER_TAG,
      'Tag.1.Value': 'c1',
    }),
    'a load balancer is created without a cluster': create('LoadBalancer', OWNED),
    'a group is created with a foreign name': create('VServerGroup', { VServerGroupName: 'web' }),
    'a listener is created without a description': create('LoadBalancerHTTPListener', {}),
  },
});
