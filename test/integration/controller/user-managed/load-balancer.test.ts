import assert from 'node:assert/strict';
import { cloudPicture } from '../../../support/cloud-picture.ts';
import { keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import type { ProcessOptions } from '../../../support/simulated-controller.ts';
import {
  annotated,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const KEY = keyOf(aService());
const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
const NAMING = annotated({ id: 'lb-shared' });
const MANAGING = annotated({ id: 'lb-shared', 'force-override-listeners': 'true' });
const SHARED = {
  ...{ id: 'lb-shared', name: 'shared', address: '47.1.1.1', tags: { cost: '7' } },
  listeners: [{ port: 22, protocol: 'tcp' }],
};

const remove = async ({ cluster }: Running): Promise<void> => {
  cluster.kubernetes.delete(SERVICES, KEY);
  await cluster.quiet(5 * 60_000);
  assert.equal(cluster.service(), undefined);
};

/** A user-managed load balancer must be as before after the cleanup, and a served Service must not leave it. */
describe('a user-managed load balancer', () => {
  interface Use {
    readonly annotations: Readonly<Record<string, string>>;
    readonly change?: object;
    /** The ports of the listeners, and the number of server groups. */
    readonly has: readonly [listeners: readonly number[], groups: number];
  }
  const USES: Readonly<Record<string, Use>> = {
    'has only server groups on it': { annotations: NAMING, has: [[22], 2] },
    'manages its listeners': { annotations: MANAGING, has: [[22, 80, 443], 2] },
    'no longer manages its listeners': {
      annotations: MANAGING,
      change: { metadata: { annotations: annotated({ 'force-override-listeners': null }) } },
      has: [[22, 80, 443], 2],
    },
  };
  for (const [what, { annotations, change = {}, has }] of Object.entries(USES))
    it(`is as before after the deletion of a Service that ${what}`, async () => {
      const run = await running({}, { loadBalancers: [SHARED] });
      const before = cloudPicture(run.cluster.simulator);
      await apply(run, { annotations, ports: [80, 443] });
      await patch(run, change);
      assert.deepEqual(ingress(run), [{ ip: '47.1.1.1' }]);
      const [used] = loadBalancers(run);
      const ports = used?.listeners.map(({ port }) => port).toSorted((one, other) => one - other);
      assert.deepEqual([ports, used?.serverGroups.length], has);
      await remove(run);
      assert.deepEqual(cloudPicture(run.cluster.simulator), before);
      await run.process.stop();
    });

  interface Unusable {
    /** The state of the load balancer in the cloud. Undefined if it does not exist. */
    readonly bad?: object;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly options?: Partial<ProcessOptions>;
  }
  const UNUSABLE: Readonly<Record<string, Unusable>> = {
    'belongs to the API server': { bad: { tags: { 'ack.aliyun.com': 'c1' } } },
    'belongs to another cluster': { bad: { tags: { 'kubernetes.do.not.delete': 'a1', 'ack.aliyun.com': 'c2' } } },
    'is protected': { bad: {}, options: { protectedIds: ['lb-bad'] } },
    'does not exist': {},
    'has another resource group': {
      bad: { resourceGroupId: 'rg-finance0000001' },
      annotations: annotated({ 'resource-group-id': 'rg-acfmxazb4ph6aiy' }),
    },
  };
  for (const [why, { bad, annotations = {}, options = {} }] of Object.entries(UNUSABLE))
    it(`is not used if it ${why}; its Service is served after a change of the annotation id`, async () => {
      const good = { ...SHARED, resourceGroupId: 'rg-acfmxazb4ph6aiy' };
      const others = bad === undefined ? [] : [{ id: 'lb-bad', address: '47.1.1.2', ...bad }];
      const run = await running(options, { loadBalancers: [good, ...others] });
      await apply(run, { annotations: { ...annotations, ...annotated({ id: 'lb-bad' }) } });
      const label = () => run.cluster.service()?.metadata.labels?.[ID_LABEL];
      assert.deepEqual([ingress(run), label(), changes(run)], [undefined, undefined, []]);
      assert.equal(run.cluster.service()?.metadata.finalizers, undefined);
      const reasons = new Set(run.cluster.kubernetes.events.map(({ reason }) => reason));
      assert.deepEqual(reasons, new Set(['SyncLoadBalancerFailed']));
      await patch(run, { metadata: { annotations: NAMING } });
      assert.deepEqual([ingress(run), label()], [[{ ip: '47.1.1.1' }], 'lb-shared']);
      await run.process.stop();
    });
});

describe('the load balancer of a Service that is served', () => {
  const HOST_NAME = annotated({ hostname: 'web.example' });
  const ELASTIC = annotated({ 'external-ip-type': 'eip' });
  const OTHER = annotated({ id: 'lb-other' });
  const NONE = annotated({ id: null });

  interface Swap {
    readonly from: Readonly<Record<string, string>>;
    readonly to: Readonly<Record<string, string | null>> | null;
    readonly message?: RegExp;
  }
  const SWAPS: Readonly<Record<string, Swap>> = {
    'from owned to user-managed': {
      from: {},
      to: NAMING,
      message: /names load balancer lb-shared, but the owned load balancer /,
    },
    'from owned to user-managed, with a host name': { from: HOST_NAME, to: { ...MANAGING, ...OTHER } },
    'from owned to user-managed, with an EIP': {
      from: {},
      to: { ...MANAGING, ...OTHER, ...ELASTIC },
    },
    'from user-managed to another': { from: MANAGING, to: OTHER },
    'from user-managed to another, with a host name': { from: { ...MANAGING, ...HOST_NAME }, to: OTHER },
    'from user-managed to another, with an EIP': { from: { ...MANAGING, ...ELASTIC }, to: OTHER },
    'from user-managed to none': {
      from: MANAGING,
      to: null,
      message: /set the annotation id back to lb-shared;/,
    },
    'from user-managed to none, with a host name': { from: { ...MANAGING, ...HOST_NAME }, to: NONE },
  };
  for (const [what, { from, to, message = /./ }] of Object.entries(SWAPS))
    for (const restarts of [false, true])
      it(`does not change ${what}${restarts ? ', after a restart' : ''}`, async () => {
        const other = {
          ...SHARED,
          id: 'lb-other',
          address: '47.1.1.2',
          serverGroups: [{ id: 'rsp-hers', name: 'hers' }],
        };
        let run = await running({}, { loadBalancers: [SHARED, other] });
        const before = cloudPicture(run.cluster.simulator);
        await apply(run, { annotations: from });
        const [address, since] = [ingress(run), callCount(run)];
        if (restarts) await run.process.stop();
        const labels = restarts ? null : {};
        await patch(run, { metadata: { annotations: to, labels } });
        if (restarts) run = { ...run, process: run.cluster.start() };
        await run.cluster.quiet(10 * 60_000);
        assert.deepEqual([changes(run, since), ingress(run)], [[], address]);
        assert.deepEqual(statusAndReason(run), ['False', 'LoadBalancerChangeNotSupported']);
        assert.match(events(run, 'SyncLoadBalancerFailed').join(), message);
        await patch(run, { metadata: { annotations: null } });
        await patch(run, { metadata: { annotations: from } });
        assert.deepEqual([changes(run, since), statusAndReason(run)[0]], [[], 'True']);
        await patch(run, { metadata: { annotations: to } });
        await remove(run);
        assert.deepEqual(cloudPicture(run.cluster.simulator), before);
        await run.process.stop();
      });
});
