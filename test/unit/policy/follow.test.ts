import assert from 'node:assert/strict';
import { pino } from 'pino';
import { MADE_FOR_INDEX } from '../../../src/inventory/made-for.ts';
import type { ClassicLoadBalancer } from '../../../src/inventory/resource.ts';
import { REUSE_INDEX } from '../../../src/inventory/reuse.ts';
import { followPolicies } from '../../../src/policy/follow.ts';
import { TUNABLE } from '../../../webhook/rules/index.ts';
import { aClb } from '../../support/inventory.ts';
import { aPolicy } from '../../support/policy.ts';
import { named, quotas, refusalsOf } from '../../support/quotas.ts';
import { annotated } from '../../support/running.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { watchedDouble } from '../../support/watched.ts';

const BY_BANDWIDTH = annotated({ 'charge-type': 'paybybandwidth', bandwidth: '100' });
const REUSING = named('web', { annotations: { ...annotated({ id: 'lb-inner' }), ...BY_BANDWIDTH } });

describe('policies, as the caches have them', () => {
  it('count a Service anew once it is known where the load balancer is that it names', () => {
    const services = watchedDouble([REUSING], REUSE_INDEX);
    const classicLoadBalancers = watchedDouble<ClassicLoadBalancer>([], MADE_FOR_INDEX);
    const { book } = followPolicies({
      ...{ services, classicLoadBalancers, tunable: TUNABLE, clock: new VirtualClock(), warnOnly: false },
      policies: watchedDouble([aPolicy('p', quotas({ bandwidth: 100 }))]),
      exceptions: watchedDouble<never>(),
      namespaces: watchedDouble<never>(),
      log: pino({ level: 'silent' }),
    });
    const asks = named('api', { annotations: BY_BANDWIDTH });
    assert.deepEqual(refusalsOf({ book }, asks), ['refuse [bandwidth]=200 Mbit/s']);
    classicLoadBalancers.put(aClb('lb-inner', { addressType: 'intranet' }));
    assert.deepEqual(refusalsOf({ book }, asks), []);
  });
});
