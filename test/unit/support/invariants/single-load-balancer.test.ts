import { aPicture, called, testInvariant } from '../../../support/invariants/history-builders.ts';
import { singleLoadBalancer } from '../../../support/invariants/invariants/single-load-balancer.ts';

const made = (id: string, siblings: readonly string[]) =>
  called('CreateLoadBalancer', { after: aPicture({ id }), siblings });

/** A second load balancer costs money, and no one finds it. */
testInvariant(singleLoadBalancer, {
  keep: {
    'two responses to a creation have the same load balancer': [...made('lb-1', ['lb-1']), ...made('lb-1', ['lb-1'])],
    'a second load balancer follows the deletion of the first': [...made('lb-1', ['lb-1']), ...made('lb-2', ['lb-2'])],
  },
  break: {
    'a second load balancer exists in addition to the first': [
      ...made('lb-1', ['lb-1']),
      ...made('lb-2', ['lb-1', 'lb-2']),
    ],
  },
});
