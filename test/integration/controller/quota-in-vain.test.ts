import assert from 'node:assert/strict';
import type { Quota } from '../../../src/policy/resource.ts';
import { ruled } from '../../support/ruled.ts';
import { annotated, apply, patch, standing } from '../../support/running.ts';
import type { ServiceSaid } from '../../support/service.ts';

const TWO = {
  loadBalancers: [
    { id: 'lb-shared', name: 'shared', address: '47.1.1.1', addressType: 'internet' },
    { id: 'lb-two', name: 'two', address: '47.1.1.2', addressType: 'internet' },
  ],
};
const BY_BANDWIDTH = annotated({ 'charge-type': 'paybybandwidth', bandwidth: '100' });
const READY = ['True', 'EnsuredLoadBalancer'];

const annotate = (said: Readonly<Record<string, string | null>>): object => ({
  metadata: { annotations: annotated(said) },
});
const other = (annotations: Readonly<Record<string, string>> = {}): ServiceSaid => ({
  ...{ name: 'api', uid: '00000000-0000-4000-8000-000000000002' },
  ...{ ports: [90], annotations },
});
const USING = annotated({ id: 'lb-shared', 'force-override-listeners': 'true' });

interface Vain {
  readonly limits: Partial<Quota>;
  readonly has: { readonly annotations?: Readonly<Record<string, string>> };
  readonly says: readonly object[];
  readonly otherAsks: ServiceSaid;
}

const IN_VAIN: Readonly<Record<string, Vain>> = {
  'names another load balancer, and takes it back': {
    limits: { listeners: 2 },
    has: {},
    says: [annotate({ id: 'lb-two', 'force-override-listeners': 'true' }), annotate({ id: null })],
    otherAsks: other(),
  },
  'asks for a load balancer of its own, and takes it back': {
    limits: { loadBalancers: 1 },
    has: { annotations: USING },
    says: [annotate({ id: null }), annotate({ id: 'lb-shared' })],
    otherAsks: other(),
  },
  'asks for a load balancer of its own': {
    limits: { loadBalancers: 1 },
    has: { annotations: USING },
    says: [annotate({ id: null })],
    otherAsks: other(),
  },
  'asks for bandwidth where it pays by traffic for good': {
    limits: { bandwidth: 100 },
    has: {},
    says: [annotate({ 'charge-type': 'paybybandwidth', bandwidth: '100' })],
    otherAsks: other(BY_BANDWIDTH),
  },
};

describe('a quota counts nothing of what is withheld from one that', () => {
  for (const [what, { limits, has, says, otherAsks }] of Object.entries(IN_VAIN)) {
    it(what, async () => {
      const { run } = await ruled({ quotas: [{ name: 'q', per: 'namespace', ...limits }] }, TWO, {
        controllers: ['service', 'inventory'],
      });
      await apply(run, has);
      for (const change of says) await patch(run, change);
      await run.cluster.quiet(10 * 60_000);
      await apply(run, otherAsks);
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual(standing(run, 'api'), READY);
      await run.process.stop();
    });
  }
});
