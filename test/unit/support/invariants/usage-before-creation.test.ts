import { NO_USAGE } from '../../../../src/policy/usage.ts';
import {
  aPicture,
  called,
  withMetadata,
  testInvariant,
  recorded,
  stored,
  SYNCING,
} from '../../../support/invariants/history-builders.ts';
import { usageRecorded } from '../../../support/invariants/invariants/usage-before-creation.ts';

const plain = stored(undefined, withMetadata());
const begun = recorded(undefined, { ...SYNCING, admittedUsage: { ...NO_USAGE, loadBalancers: 1 } });
const extended = recorded(SYNCING, { ...SYNCING, admittedUsage: { ...NO_USAGE, loadBalancers: 1, listeners: 1 } });
const creation = called('CreateLoadBalancer', {
  parameters: { 'Tag.1.Key': 'kubernetes.do.not.delete', 'Tag.1.Value': aPicture().name },
});
const listener = called('CreateLoadBalancerTCPListener', { target: aPicture(), parameters: { ListenerPort: '80' } });

/** After a crash, a quota would not count a resource whose usage was not recorded, and would admit too much. */
testInvariant(usageRecorded, {
  keep: {
    'a load balancer is created after its usage is recorded': [plain, begun, ...creation],
    'a listener is created after its usage is recorded': [plain, extended, ...listener],
    'a user removes the usage': [plain, recorded({}, {}, { by: 'others' }), ...creation],
  },
  break: {
    'a load balancer is created without usage': [plain, recorded(undefined, SYNCING), ...creation],
    'a listener is created with the usage of the load balancer alone': [plain, begun, ...listener],
  },
});
