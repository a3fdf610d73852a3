import assert from 'node:assert/strict';
import { aCluster, AN_AUDIT_MS, ENDPOINT_SLICES, SERVICES } from '../../support/simulated-cluster.ts';
import { addressOf, aPodSlice, interfacesOf } from '../../support/pods.ts';
import { ruled } from '../../support/policy-controller.ts';
import {
  annotated,
  apply,
  changes,
  events,
  loadBalancers,
  messageOf,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const READY = ['True', 'EnsuredLoadBalancer'];
const range = (from: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index);

/** The cloud limits backends, listeners and tags. A Service beyond a limit must keep its traffic, and must not send rejected calls again. */
describe('a load balancer with the maximum number of backends', () => {
  const LIMIT = 30;
  const service = aService({ annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } });

  async function full(): Promise<Running> {
    const cluster = aCluster({ cloudSettings: { backendsPerLoadBalancer: LIMIT } });
    cluster.simulator.seed({ networkInterfaces: interfacesOf(200) });
    const run = { cluster, process: cluster.start() };
    cluster.kubernetes.put(SERVICES, service);
    await setPods(run, range(1, LIMIT));
    return run;
  }
  async function setPods({ cluster }: Running, pods: readonly number[], ms = 60_000): Promise<void> {
    cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, pods));
    await cluster.quiet(ms);
  }
  const backends = (run: Running): readonly (string | undefined)[] =>
    (loadBalancers(run)[0]?.serverGroups[0]?.backends ?? []).map(({ serverIp }) => serverIp).sort();
  const at = (pods: readonly number[]): readonly string[] => pods.map(addressOf).sort();

  /** Returns the number of backends that each call adds. Negative for removals, and 0 for a rejected call. */
  const steps = ({ cluster }: Running, since: number): readonly number[] =>
    cluster.journal(since).flatMap(({ action, outcome, parameters }) => {
      const sign = { AddVServerGroupBackendServers: 1, RemoveVServerGroupBackendServers: -1 }[action];
      if (sign === undefined) return [];
      const { length } = JSON.parse(parameters['BackendServers'] ?? '[]') as unknown[];
      return [outcome === 'OK' ? sign * length : 0];
    });

  interface Row {
    /** Pods before the last change, in sequence. The initial pods are 1 to 30. */
    readonly before?: readonly (readonly number[])[];
    readonly pods: readonly number[];
    readonly steps: readonly number[];
  }
  const ROWS: Readonly<Record<string, Row>> = {
    'removes as many backends as it adds, and then the other obsolete backends': {
      ...{ pods: [...range(1, 27), 101, 102], steps: [0, -2, 2, -1] },
    },
    'replaces all backends in batches': { pods: range(101, LIMIT), steps: [0, -20, 20, 0, -10, 10] },
    'removes obsolete backends first if the additions exceed its free capacity': {
      ...{ before: [range(1, 27)], pods: [...range(6, 22), ...range(111, 8)], steps: [0, -5, 5, 3] },
    },
  };
  for (const [title, { before = [], pods, steps: expected }] of Object.entries(ROWS))
    it(title, async () => {
      const run = await full();
      for (const each of before) await setPods(run, each);
      const since = callCount(run);
      await setPods(run, pods);
      assert.deepEqual([backends(run), steps(run, since)], [at(pods), expected]);
      assert.deepEqual(events(run, 'SyncLoadBalancerFailed'), []);
      await run.process.stop();
    });

  /** Pods that exceed the limit by five. */
  const MORE = range(1, LIMIT + 5);
  const OVER_LIMIT: Readonly<Record<string, readonly [act: (run: Running) => unknown, pods: readonly number[]]>> = {
    'gets the remaining backends after a removal': [(run) => setPods(run, range(3, LIMIT), 0), range(3, LIMIT)],
    'gets the remaining backends after its quota is raised': [
      ({ cluster }) => cluster.simulator.changeSettings({ backendsPerLoadBalancer: 100 }),
      MORE,
    ],
  };
  for (const [title, [act, pods]] of Object.entries(OVER_LIMIT))
    it(`keeps its backends with an event, and ${title}`, async () => {
      const run = await full();
      const since = callCount(run);
      await setPods(run, MORE, 1_000);
      assert.equal(backends(run).length, LIMIT);
      assert.deepEqual(
        steps(run, since).filter((step) => step !== 0),
        [],
      );
      assert.match(
        events(run, 'SyncLoadBalancerFailed')[0] ?? '',
        /InstanceBackendServerNumberOverLimit.*higher quota/,
      );
      await act(run);
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual(backends(run), at(pods));
      await run.process.stop();
    });

  it('fills a new server group in batches, and switches the listener after the first batch', async () => {
    const run = await full();
    const since = callCount(run);
    const [port] = service.spec?.ports ?? [];
    await patch(run, { spec: { ports: [{ ...port, targetPort: 8080 }] } });
    const groups = loadBalancers(run)[0]?.serverGroups.map(({ name, backends: has }) => [name, has.length]);
    assert.deepEqual(groups, [['k8s/8080/web/shop/c1', LIMIT]]);
    assert.deepEqual(changes(run, since), [
      ...['CreateVServerGroup', 'CreateVServerGroup', 'AddVServerGroupBackendServers'],
      ...['RemoveVServerGroupBackendServers', 'AddVServerGroupBackendServers', 'AddVServerGroupBackendServers'],
      'SetLoadBalancerTCPListenerAttribute',
      ...['DeleteVServerGroup', 'AddVServerGroupBackendServers'],
    ]);
    assert.deepEqual(events(run, 'SyncLoadBalancerFailed'), []);
    await run.process.stop();
  });
});

describe('a Service with more ports than a load balancer can have listeners', () => {
  const PORTS = range(1, 100);
  const CREATIONS = ['CreateLoadBalancerTCPListener', 'CreateVServerGroup'];
  const count = ({ cluster }: Running, actions = CREATIONS): number =>
    cluster.calls().filter((action) => actions.includes(action)).length;
  const served = (run: Running): readonly unknown[] => {
    const { listeners = [], serverGroups = [] } = loadBalancers(run)[0] ?? {};
    return [listeners.length, serverGroups.length, statusAndReason(run)[1]];
  };

  it('is served on as many ports as possible, without a call for the remaining ports', async () => {
    const run = await running();
    await apply(run, { ports: PORTS });
    assert.deepEqual(served(run), [50, 50, 'QuotaExceeded']);
    const beyond = /ports 51, 52, 53, 54, 55 and 45 more get no listener; move the ports to another Service/;
    assert.match(messageOf(run), beyond);
    assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', beyond);
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.equal(count(run), 100);
    await run.process.stop();
  });

  it('uses only the free capacity of a user-managed load balancer', async () => {
    const listeners = range(20_001, 45).map((port) => ({ port, protocol: 'tcp' }));
    const run = await running({}, { loadBalancers: [{ id: 'lb-a', name: 'a', address: '47.1.1.1', listeners }] });
    await apply(run, { ports: PORTS, annotations: annotated({ id: 'lb-a', 'force-override-listeners': 'true' }) });
    assert.deepEqual(served(run), [50, 5, 'QuotaExceeded']);
    await run.process.stop();
  });

  it('replaces five ports at its limit within one sync, without a rejected call', async () => {
    const run = await running();
    await apply(run, { ports: range(1, 50) });
    const since = callCount(run);
    await patch(run, { spec: aService({ ports: range(6, 50) }).spec });
    assert.deepEqual([served(run)[0], statusAndReason(run)[0]], [50, 'True']);
    const rejected = run.cluster.journal(since).filter(({ outcome }) => outcome !== 'OK');
    assert.deepEqual([rejected, events(run, 'SyncLoadBalancerFailed')], [[], []]);
    await run.process.stop();
  });

  it('requests all listeners if the rule listener-quota only warns', async () => {
    const { run, lift } = await ruled({ rules: [{ rule: 'listener-quota', mode: 'warn' }] });
    await apply(run, { ports: range(1, 52) });
    assert.deepEqual([served(run)[0], statusAndReason(run)[1]], [50, 'QuotaExceeded']);
    assert.match(messageOf(run), /CreateLoadBalancerTCPListener: /);
    await lift();
    await run.cluster.quiet(10 * 60_000);
    const before = count(run, CREATIONS.slice(0, 1));
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual([count(run, CREATIONS.slice(0, 1)) - before, before > 50], [0, true]);
    assert.match(messageOf(run), /ports 51, 52 get no listener;/);
    await run.process.stop();
  });
});

describe('a load balancer with the maximum number of', () => {
  const TWELVE = range(0, 12);
  const tags = (prefix: string): string => TWELVE.map((index) => `${prefix}${index}=v`).join(',');
  const domains = (...names: readonly string[]) => names.map((name) => `${name}.example.com:cert-1`).join(',');
  interface Row {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly annotation: string;
    readonly values: readonly [string, string];
    readonly calls: readonly string[];
  }
  const ROWS: Readonly<Record<string, Row>> = {
    'tags gets other tags in their place': {
      ...{ annotation: 'additional-resource-tags', values: [tags('a'), tags('b')] },
      calls: ['TagResources', 'UntagResources', 'TagResources'],
    },
    'domains of a listener gets other domains one by one': {
      annotations: { 'protocol-port': 'https:80', 'cert-id': 'cert-1' },
      ...{ annotation: 'domain-extensions', values: [domains('a', 'b', 'c'), domains('a', 'd', 'e')] },
      calls: [
        ...['CreateDomainExtension', 'DeleteDomainExtension', 'CreateDomainExtension'],
        ...['CreateDomainExtension', 'DeleteDomainExtension', 'CreateDomainExtension'],
      ],
    },
  };
  for (const [title, { annotations = {}, annotation, values, calls }] of Object.entries(ROWS))
    it(title, async () => {
      const run = await running(
        {},
        { certificates: [{ id: 'cert-1', commonName: 'a', expiresAt: '2030-01-02T03:04:05Z' }] },
      );
      await apply(run, { annotations: annotated({ ...annotations, [annotation]: values[0] }) });
      const since = callCount(run);
      await patch(run, { metadata: { annotations: annotated({ [annotation]: values[1] }) } });
      assert.deepEqual([changes(run, since), statusAndReason(run)], [calls, READY]);
      const own = Object.keys(loadBalancers(run)[0]?.tags ?? {}).filter((key) => /^[ab]\d/.test(key));
      if (annotation === 'additional-resource-tags')
        assert.deepEqual(own.toSorted(), TWELVE.map((at) => `b${at}`).sort());
      await run.process.stop();
    });
});
