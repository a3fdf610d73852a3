import assert from 'node:assert/strict';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import { ADD, BACKEND_TYPE, putPods, REMOVE } from '../../../support/backends.ts';
import { aCluster, ENDPOINT_SLICES, keyOf, NODES, SERVICES } from '../../../support/simulated-cluster.ts';
import type { ProcessOptions } from '../../../support/simulated-controller.ts';
import { aNode } from '../../../support/node.ts';
import { addressOf, aPodSlice, interfacesOf } from '../../../support/pods.ts';
import {
  changes,
  events,
  loadBalancers,
  callCount,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const LOOKUP = 'DescribeNetworkInterfaces';

const withSelector = (service: Service, spec: object = {}): Service => ({
  ...service,
  spec: { ...service.spec, selector: { app: 'web' }, ...spec },
});
const service = (ports = [80], annotations: Record<string, string> = { [BACKEND_TYPE]: 'eni' }): Service =>
  withSelector(aService({ ports, annotations }));

/** Syncs a Service with these pods. */
async function served(
  pods: readonly number[],
  input: Service = service(),
  options: Partial<ProcessOptions> = {},
): Promise<Running> {
  const cluster = aCluster();
  cluster.simulator.seed({ networkInterfaces: interfacesOf(120) });
  const run = { cluster, process: cluster.start(options) };
  putPods(run, pods, input);
  cluster.kubernetes.put(SERVICES, input);
  await cluster.quiet();
  return run;
}

const roll = async (run: Running, pods: readonly number[], input = service(), ms = 60_000): Promise<void> => {
  putPods(run, pods, input);
  await run.cluster.quiet(ms);
};
const addresses = (run: Running): readonly (string | undefined)[] =>
  (loadBalancers(run)[0]?.serverGroups[0]?.backends ?? []).map(({ serverIp }) => serverIp).sort();
const at = (...pods: readonly number[]): readonly string[] => pods.map(addressOf).sort();

/** Pods as backends need lookups of network interfaces, which can fail. Ids such as B01 are in docs/concepts/benchmarks.md. */
describe('the calls for pods as backends of two ports', () => {
  const TWO = service([80, 443]);

  it('B01: are as many as for Nodes, plus one lookup for up to a hundred pods', async () => {
    const run = await served([1, 2, 3], TWO);
    assert.equal(run.cluster.calls().length, 9);
    const reads = run.cluster.calls().filter((action) => action.startsWith('Describe'));
    assert.deepEqual([reads, addresses(run)], [[LOOKUP, 'DescribeLoadBalancers'], at(1, 2, 3)]);
    await run.process.stop();
  });

  it('B02: are none if nothing changes, also after a restart', async () => {
    const run = await served([1, 2], TWO);
    const [since, writes] = [callCount(run), run.cluster.kubernetes.writes.length];
    await run.process.stop();
    const next = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual([run.cluster.calls(since), run.cluster.kubernetes.writes.length], [[], writes]);
    await next.stop();
  });

  interface Change {
    readonly act: (run: Running) => void;
    readonly calls: readonly string[];
  }
  const CHANGES: Readonly<Record<string, Change>> = {
    'B06: are a lookup and one for each port, if a pod is added': {
      act: (run) => putPods(run, [1, 2, 3], TWO),
      calls: [LOOKUP, ADD, ADD],
    },
    'B07: are a lookup and two for each port, if a pod replaces another': {
      act: (run) => putPods(run, [1, 3], TWO),
      calls: [LOOKUP, ADD, REMOVE, ADD, REMOVE],
    },
    'are none if a Node flaps': {
      act: ({ cluster }) =>
        void cluster.kubernetes.put(NODES, aNode('n1', { spec: { providerID: 'cn-hangzhou.i-1' }, ready: 'False' })),
      calls: [],
    },
  };
  for (const [what, { act, calls }] of Object.entries(CHANGES))
    it(what, async () => {
      const run = await served([1, 2], TWO);
      const since = callCount(run);
      act(run);
      await run.cluster.quiet();
      assert.deepEqual(run.cluster.calls(since), calls);
      await run.process.stop();
    });
});

describe('pods as backends', () => {
  it('are looked up a hundred at a time', async () => {
    const run = await served(Array.from({ length: 101 }, (_, index) => index + 1));
    assert.equal(run.cluster.calls().filter((action) => action === LOOKUP).length, 2);
    assert.equal(addresses(run).length, 101);
    await run.process.stop();
  });

  it('are the default if the configuration requests that', async () => {
    const run = await served([1, 2], service([80], {}), { settings: { backendType: 'eni' } });
    assert.deepEqual(addresses(run), at(1, 2));
    await run.process.stop();
  });

  it('have the port number that each EndpointSlice has for a named target port', async () => {
    const input = withSelector(service([]), {
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 'web' }],
    });
    const run = await served([], input);
    // Two versions of a Deployment: container port "web" is 8080 in the first and 9090 in the second.
    const putSlice = (name: string, port: number, pods: readonly number[]): void => {
      const slice = aPodSlice(input, pods);
      const ports = [{ name: 'http', port, protocol: 'TCP' }];
      run.cluster.kubernetes.put(ENDPOINT_SLICES, { ...slice, metadata: { ...slice.metadata, name }, ports });
    };
    const registered = () =>
      loadBalancers(run)[0]?.serverGroups.map(({ name, backends }) => [
        name.split('/')[1],
        ...backends.map(({ serverIp, port }) => `${serverIp}:${port}`).sort(),
      ]);
    putSlice('web-1', 8080, [1, 2]);
    putSlice('web-2', 9090, [3]);
    await run.cluster.quiet();
    assert.deepEqual(registered(), [['web', '10.1.1.1:8080', '10.1.1.2:8080', '10.1.1.3:9090']]);
    assert.deepEqual(statusAndReason(run), ['True', 'EnsuredLoadBalancer']);
    putSlice('web-1', 8080, []);
    putSlice('web-2', 9090, [1, 2, 3]);
    await run.cluster.quiet();
    assert.deepEqual(registered(), [['web', '10.1.1.1:9090', '10.1.1.2:9090', '10.1.1.3:9090']]);
    await run.process.stop();
  });

  it('are looked up again if their address becomes that of another pod', async () => {
    const run = await served([1, 2]);
    const [first] = interfacesOf(1);
    run.cluster.simulator.seed({ networkInterfaces: [{ ...first, id: 'eni-other' }], remove: ['eni-1'] });
    const since = callCount(run);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service(), [1, 2], { 1: 'born-again' }));
    await run.cluster.quiet();
    const servers = loadBalancers(run)[0]?.serverGroups[0]?.backends.map(({ serverId }) => serverId);
    assert.deepEqual(servers?.toSorted(), ['eni-2', 'eni-other']);
    assert.equal(run.cluster.calls(since)[0], LOOKUP);
    await run.process.stop();
  });

  const FAILURES: Readonly<Record<string, { readonly fault: object; readonly message?: RegExp }>> = {
    'is cut': { fault: { effect: 'cut-before-commit' } },
    'gets no response': { fault: { effect: 'timeout-before-commit' } },
    'gets an HTML response': { fault: { effect: 'malformed-body' } },
    'gets an incomplete response': { fault: { effect: 'cut-reply' } },
    'is throttled': { fault: { effect: 'throttle' } },
    'is not permitted': {
      fault: { effect: 'reject', code: 'Forbidden.RAM', status: 403 },
      message: /permission ecs:DescribeNetworkInterfaces is missing/,
    },
  };
  for (const [what, { fault, message }] of Object.entries(FAILURES))
    it(`stay if a lookup ${what}, and are replaced after it succeeds`, async () => {
      const run = await served([1, 2]);
      run.cluster.simulator.faults([{ action: LOOKUP, nth: 1, count: 3, ...fault }]);
      await roll(run, [1, 3], service(), 1_000);
      assert.deepEqual(addresses(run), at(1, 2));
      if (message !== undefined) assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', message);
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual(addresses(run), at(1, 3));
      await run.process.stop();
    });

  it('are registered without a pod that the cloud rejects, which is registered later', async () => {
    const run = await served([1]);
    run.cluster.simulator.seed({ remove: ['eni-7'] });
    // The lookup still returns the deleted interface.
    run.cluster.simulator.faults([{ action: LOOKUP, nth: 1, effect: 'stale-list' }]);
    const twenty = Array.from({ length: 20 }, (_, index) => index + 1);
    await roll(run, twenty, service(), 1_000);
    assert.deepEqual(addresses(run), at(...twenty.filter((pod) => pod !== 7)));
    assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', /eni-7/);
    run.cluster.simulator.seed({ networkInterfaces: interfacesOf(20) });
    await run.cluster.quiet(10 * 60_000);
    assert.equal(addresses(run).length, 20);
    await run.process.stop();
  });

  it('are replaced by Nodes if the backend type changes to ecs', async () => {
    const run = await served([1, 2]);
    run.cluster.kubernetes.patch(SERVICES, keyOf(service()), { metadata: { annotations: { [BACKEND_TYPE]: 'ecs' } } });
    const since = callCount(run);
    await run.cluster.quiet();
    assert.deepEqual(changes(run, since), [
      'CreateVServerGroup',
      'SetLoadBalancerTCPListenerAttribute',
      'DeleteVServerGroup',
    ]);
    await run.process.stop();
  });
});
