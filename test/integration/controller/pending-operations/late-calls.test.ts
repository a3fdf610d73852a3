import assert from 'node:assert/strict';
import { aSlice, ENDPOINT_SLICES, keyOf, NODES, objectKey, SERVICES } from '../../../support/simulated-cluster.ts';
import { aNode } from '../../../support/node.ts';
import { loadBalancers, running, statusAndReason, type Running } from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';
import { during, listenerPorts } from '../../../support/service-changes.ts';

const REMOVE_BACKENDS = 'RemoveVServerGroupBackendServers';
const ALL = ['i-1', 'i-2', 'i-3'];
const MINUTE_MS = 60_000;

const backends = (run: Running): readonly string[] =>
  (loadBalancers(run)[0]?.serverGroups ?? []).flatMap((group) => group.backends.map(({ serverId }) => serverId)).sort();
const addNode = ({ cluster }: Running, name: string) =>
  cluster.kubernetes.put(NODES, aNode(name, { spec: { providerID: `cn-hangzhou.i-${name.slice(1)}` } }));
const removeNode = ({ cluster }: Running, name: string) => cluster.kubernetes.delete(NODES, objectKey(name));
/** Returns ports whose node port, and therefore server group, depends only on the position. */
const portsOf = (ports: readonly number[]) =>
  (aService({ ports }).spec?.ports ?? []).map((port, at) => ({ ...port, nodePort: 30_080 + at }));
const setPorts = ({ cluster }: Running, ports: readonly number[]) =>
  cluster.kubernetes.patch(SERVICES, keyOf(aService()), { spec: { ports: portsOf(ports) } });
/** Puts a pod of the Service on each of these Nodes, and on no other Node. */
const setPods = ({ cluster }: Running, ...nodes: readonly string[]) =>
  cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), nodes));

interface Row {
  readonly ports?: readonly number[];
  /** Nodes of the pods of a Service in Local mode. */
  readonly nodes?: readonly string[];
  /** Action of the call that takes effect a minute later. */
  readonly action: string;
  /** Makes a change that needs the call, and reverts the change. */
  readonly act: (run: Running) => Promise<Running>;
  /** Milliseconds after `act` until the state must be correct. Default: two minutes. */
  readonly ms?: number;
  readonly after: { readonly backends?: readonly string[]; readonly ports?: readonly number[] };
}

const ROWS: Readonly<Record<string, Row>> = {
  'removes no backend of a Node that exists again': {
    action: REMOVE_BACKENDS,
    act: async (run) => {
      removeNode(run, 'n3');
      await run.cluster.quiet(40_000);
      addNode(run, 'n3');
      return run;
    },
    after: { backends: ALL },
  },
  'does not leave a server group empty': {
    ...{ nodes: ['n1', 'n2'], action: REMOVE_BACKENDS },
    act: async (run) => {
      setPods(run, 'n1');
      await run.cluster.quiet(35_000);
      setPods(run, 'n2');
      return run;
    },
    after: { backends: ['i-2'] },
  },
  'adds no backend of a deleted Node': {
    action: 'AddVServerGroupBackendServers',
    act: async (run) => {
      run.cluster.simulator.seed({ instances: [{ id: 'i-4', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.14'] }] });
      addNode(run, 'n4');
      await run.cluster.quiet(40_000);
      removeNode(run, 'n4');
      return run;
    },
    after: { backends: ALL },
  },
  'deletes no listener of a port that the Service has again after a crash': {
    ...{ ports: [80, 443], action: 'DeleteLoadBalancerListener' },
    act: async (run) => {
      setPorts(run, [80]);
      await run.cluster.quiet(1_000);
      const next = await during(run, 'killed', () => setPorts(run, [80, 443]));
      await run.cluster.quiet(30_000);
      assert.deepEqual(listenerPorts(next), [80, 443]);
      return next;
    },
    after: { ports: [80, 443] },
  },
  'removes no backend after a restart if the Service was ready before the restart': {
    action: REMOVE_BACKENDS,
    act: async (run) => {
      removeNode(run, 'n3');
      await run.cluster.quiet(5_000);
      addNode(run, 'n3');
      await run.cluster.quiet(35_000);
      assert.equal(statusAndReason(run)[0], 'True');
      return during(run, 'stopped', () => undefined);
    },
    ...{ ms: 3 * MINUTE_MS, after: { backends: ALL } },
  },
  'removes no backend after a crash while the next controller creates a server group': {
    action: REMOVE_BACKENDS,
    act: async (run) => {
      removeNode(run, 'n3');
      await run.cluster.quiet(2_000);
      return during(run, 'killed', () => {
        addNode(run, 'n3');
        setPorts(run, [80, 443]);
        run.cluster.simulator.faults([{ action: 'CreateVServerGroup', effect: 'slow', ms: 100, count: 1 }]);
      });
    },
    ...{ ms: 4 * MINUTE_MS, after: { backends: ['i-1', 'i-1', 'i-2', 'i-2', 'i-3', 'i-3'] } },
  },
  'leaves no listener of a port that the Service no longer has': {
    action: 'CreateLoadBalancerTCPListener',
    act: async (run) => {
      for (const port of [443, 8443]) {
        setPorts(run, [80, port]);
        await run.cluster.quiet(2_000);
      }
      return run;
    },
    ...{ ms: 3 * MINUTE_MS, after: { ports: [80, 8443] } },
  },
};

/** A call without a response may take effect up to a minute later, and the controller must correct the result. */
describe('a call that takes effect a minute late', () => {
  for (const [title, { ports = [80], nodes, action, act, ms = 2 * MINUTE_MS, after }] of Object.entries(ROWS))
    it(title, async () => {
      const first = await running();
      const service = aService({ ports: portsOf(ports) });
      const externalTrafficPolicy = nodes === undefined ? 'Cluster' : 'Local';
      if (nodes !== undefined) setPods(first, ...nodes);
      first.cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy } });
      await first.cluster.quiet();
      first.cluster.simulator.faults([{ action, effect: 'late-commit', ms: MINUTE_MS, count: 1 }]);
      const run = await act(first);
      await run.cluster.quiet(ms);
      if (after.backends !== undefined) assert.deepEqual(backends(run), after.backends);
      if (after.ports !== undefined) assert.deepEqual(listenerPorts(run), after.ports);
      assert.deepEqual([statusAndReason(run)[0], run.cluster.binding()?.spec.operation], ['True', undefined]);
      await run.process.stop();
    });
});
