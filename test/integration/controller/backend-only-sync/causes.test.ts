import assert from 'node:assert/strict';
import { ADD, inLocalMode, putOnNodes, putPods, REMOVE, serversOf } from '../../../support/backends.ts';
import { tagByHand } from '../../../support/user-changes.ts';
import { keyOf, NODES, SERVICES } from '../../../support/simulated-cluster.ts';
import type { ProcessOptions } from '../../../support/simulated-controller.ts';
import { aNode } from '../../../support/node.ts';
import { interfacesOf } from '../../../support/pods.ts';
import {
  annotated,
  apply,
  changes,
  events,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const HALF_AN_HOUR_MS = 30 * 60_000;
const GROUP = { id: 'lb-a', 'vgroup-port': 'rsp-a:80' };
const MANAGING = { id: 'lb-a', 'force-override-listeners': 'true' };
const UNSUPPORTED = 'LoadBalancerChangeNotSupported';

/** Two user-managed load balancers, each with a server group and a listener on `port` that uses it. */
const seedWith = (port: number) => ({
  networkInterfaces: interfacesOf(2),
  loadBalancers: ['a', 'b'].map((name, at) => ({
    id: `lb-${name}`,
    name,
    address: `47.1.1.${at + 1}`,
    serverGroups: [{ id: `rsp-${name}`, name: `group-${name}`, backends: [] }],
    listeners: [{ port, protocol: 'tcp', attributes: { VServerGroupId: `rsp-${name}` } }],
  })),
});

const changeTo = (input: Readonly<Record<string, string | null>>) => (run: Running) =>
  patch(run, { metadata: { annotations: annotated(input) } });

/** Names another load balancer, which the cloud does not return, and clears the status. */
const nameUnread = (code: string, status: number) => (run: Running) => {
  const fault = { action: 'DescribeLoadBalancerAttribute', effect: 'reject', code, status, count: 'forever' };
  run.cluster.simulator.faults([{ ...fault, filter: { LoadBalancerId: 'lb-b' } }]);
  const annotations = annotated({ id: 'lb-b', 'force-override-listeners': 'true' });
  return patch(run, { status: { loadBalancer: null }, metadata: { annotations } });
};

interface Cause {
  /** The annotations of the initial sync. */
  readonly from?: Readonly<Record<string, string>>;
  /** The port of the users' listeners. */
  readonly listenersOn?: number;
  readonly cause: (run: Running) => Promise<unknown>;
  readonly reason: string;
  /** The variants that the test runs. Defaults to all variants. */
  readonly only?: readonly string[];
}

const CAUSES: Readonly<Record<string, Cause>> = {
  'id and vgroup-port are changed together': {
    from: GROUP,
    cause: changeTo({ id: 'lb-b', 'vgroup-port': 'rsp-b:80' }),
    reason: UNSUPPORTED,
  },
  'a server group is missing': {
    from: GROUP,
    cause: changeTo({ 'vgroup-port': 'rsp-none:80' }),
    reason: 'InvalidPort',
  },
  'a server group is missing, with a listener on port 443': {
    from: GROUP,
    listenersOn: 443,
    cause: changeTo({ 'vgroup-port': 'rsp-none:80' }),
    reason: 'InvalidPort',
  },
  'id names a load balancer that the controller may not read': {
    cause: nameUnread('Forbidden.RAM', 403),
    reason: UNSUPPORTED,
  },
  'id names a load balancer that cannot be read': { cause: nameUnread('ServiceUnavailable', 503), reason: UNSUPPORTED },
  'an immutable attribute differs': {
    from: MANAGING,
    listenersOn: 22,
    cause: changeTo({ 'resource-group-id': 'rg-other' }),
    reason: 'Immutable',
    only: ['Nodes', 'pods'],
  },
  'an annotation is invalid': { cause: changeTo({ scheduler: 'nonsense' }), reason: 'Invalid' },
  'the protocol of a listener is invalid': {
    cause: changeTo({ 'protocol-port': 'httpx:80' }),
    reason: 'Invalid',
  },
  'its load balancer becomes that of an API server': {
    from: MANAGING,
    listenersOn: 22,
    cause: async (run) => {
      await tagByHand(run, 'lb-a', 'ack.aliyun.com', 'c1');
      await run.cluster.quiet(2 * 60_000);
    },
    reason: 'Invalid',
    only: ['Nodes, with the inventory,', 'pods, with the inventory,'],
  },
};

const VARIANTS: Readonly<Record<string, { readonly type: 'eni' | 'ecs'; readonly input: Partial<ProcessOptions> }>> = {
  Nodes: { type: 'ecs', input: {} },
  pods: { type: 'eni', input: {} },
  'Nodes, with the inventory,': { type: 'ecs', input: { controllers: ['service', 'inventory'] } },
  'pods, with the inventory,': { type: 'eni', input: { controllers: ['service', 'inventory'] } },
};

/** Without a backend-only sync, an invalid change of a Service would leave dead pods behind its load balancer. */
describe('a Service that is served', () => {
  for (const [what, { from = {}, listenersOn = 80, cause, reason, only = Object.keys(VARIANTS) }] of Object.entries(
    CAUSES,
  ))
    for (const [which, { type, input }] of Object.entries(VARIANTS).filter(([name]) => only.includes(name)))
      for (const restarts of [false, true])
        it(`follows its ${which}${restarts ? ' after a restart' : ''} if ${what}`, async () => {
          const options = { ...input, settings: { backendType: type } };
          const first = await running(options, seedWith(listenersOn));
          const { cluster } = first;
          const service = aService({ annotations: annotated(from) });
          const put = (numbers: readonly number[]): void =>
            type === 'eni'
              ? putPods(first, numbers)
              : putOnNodes(
                  first,
                  numbers.map((n) => `n${n}`),
                );
          put([1]);
          cluster.kubernetes.put(SERVICES, type === 'eni' ? service : inLocalMode(service));
          await cluster.quiet();
          assert.equal(statusAndReason(first)[0], 'True');
          const since = callCount(first);
          await cause(first);
          if (restarts) await first.process.stop();
          const run = restarts ? { cluster, process: cluster.start(options) } : first;
          await cluster.quiet(5 * 60_000);
          put([1, 2]);
          await cluster.quiet();
          put([2]);
          await cluster.quiet(HALF_AN_HOUR_MS);
          assert.deepEqual(statusAndReason(run), ['False', reason]);
          assert.deepEqual(serversOf(run), [type === 'eni' ? 'eni-2' : 'i-2']);
          assert.deepEqual(changes(run, since), [ADD, REMOVE]);
          await run.process.stop();
        });

  it('keeps its backends and their weights while an annotation that selects them is invalid', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ 'default-weight': '50' }) });
    const since = callCount(run);
    await changeTo({ 'default-weight': 'heavy', 'backend-label': '!' })(run);
    assert.deepEqual(changes(run, since), []);
    assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', /"heavy"/);
    await changeTo({ 'default-weight': '60', 'backend-label': null })(run);
    assert.deepEqual(changes(run, since), ['SetVServerGroupAttribute']);
    await run.process.stop();
  });

  it('syncs the backends of its ports if a new port has more backends than one call', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `i-${index + 10}`);
    const run = await running({}, { instances: ids.map((id) => ({ id, name: id, vSwitchId: 'vsw-1' })) });
    for (const id of ids) run.cluster.kubernetes.put(NODES, aNode(id, { spec: { providerID: `cn-hangzhou.${id}` } }));
    await apply(run);
    const since = callCount(run);
    const { spec } = aService({ ports: [80, 443] });
    await patch(run, { metadata: { annotations: annotated({ scheduler: 'fair' }) }, spec });
    run.cluster.kubernetes.delete(NODES, keyOf(aNode('n3')));
    await run.cluster.quiet();
    assert.deepEqual(changes(run, since), [REMOVE]);
    assert.deepEqual(statusAndReason(run), ['False', 'Invalid']);
    await run.process.stop();
  });

  it('keeps a shared backend that only another Service still has', async () => {
    const run = await running({ settings: { backendType: 'eni' } }, seedWith(80));
    const uid = '00000000-0000-4000-8000-000000000002';
    const services = [
      aService({ annotations: annotated(GROUP) }),
      aService({ name: 'api', uid, annotations: annotated(GROUP) }),
    ];
    for (const service of services) {
      putPods(run, [1], service);
      run.cluster.kubernetes.put(SERVICES, service);
      await run.cluster.quiet();
    }
    await changeTo({ id: 'lb-b' })(run);
    const since = callCount(run);
    putPods(run, [2]);
    await run.cluster.quiet();
    assert.deepEqual(serversOf(run, 'lb-a'), ['eni-1', 'eni-2']);
    assert.deepEqual(changes(run, since), [ADD, 'SetVServerGroupAttribute']);
    await run.process.stop();
  });
});
