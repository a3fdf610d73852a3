import assert from 'node:assert/strict';
import { ADD, inLocalMode, putOnNodes, REMOVE } from '../../../support/backends.ts';
import { aCluster, keyOf, NODES, SERVICES } from '../../../support/simulated-cluster.ts';
import { aNode } from '../../../support/node.ts';
import { annotated, callCount, type Running } from '../../../support/running-controller.ts';
import { aService, type ServiceInput } from '../../../support/service.ts';

const KEY = keyOf(aService());
const BOTH = { ports: [80, 443] };
const CREATE_PORT = ['CreateLoadBalancerTCPListener', 'StartLoadBalancerListener'];

/** Starts a controller, and stores a Service. */
function start(service = aService(BOTH), nodes = 3): Running {
  const cluster = aCluster({ nodes });
  const run = { cluster, process: cluster.start() };
  cluster.kubernetes.put(SERVICES, service);
  return run;
}
const patch = (change: object) => (run: Running) => run.cluster.kubernetes.patch(SERVICES, KEY, change);

/** The rate limit of the cloud is shared by all Services. More calls per Service would delay other Services. Ids: docs/concepts/benchmarks.md. */
describe('the calls for a new Service', () => {
  it('B01: are 8 for two ports and three Nodes, one of them a read', async () => {
    const { cluster, process } = start();
    await cluster.quiet();
    assert.deepEqual(cluster.calls(), [
      'DescribeLoadBalancers',
      'CreateLoadBalancer',
      'CreateVServerGroup',
      'CreateVServerGroup',
      ...CREATE_PORT,
      ...CREATE_PORT,
    ]);
    assert.equal(cluster.kubernetes.writes.length, 4);
    assert.ok(cluster.kubernetes.events.length <= 2);
    await process.stop();
  });

  interface Pods {
    /** Milliseconds until the pods become known. Undefined for never. */
    readonly afterMs?: number;
    readonly ports: readonly number[];
    /** The number of calls 1.9 seconds after the creation of the Service, and at the end. */
    readonly calls: readonly [soon: number, late: number];
    readonly reasons: readonly string[];
  }
  const PODS: Readonly<Record<string, Pods>> = {
    'B01: are no more if its pods become known a moment later': {
      afterMs: 100,
      ports: [80, 443],
      calls: [8, 8],
      reasons: ['EnsuredLoadBalancer'],
    },
    'are sent after two seconds if no pods are known by then': {
      ports: [80],
      calls: [0, 5],
      reasons: ['UnAvailableLoadBalancer', 'EnsuredLoadBalancer'],
    },
  };
  for (const [what, { afterMs, ports, calls, reasons }] of Object.entries(PODS))
    it(what, async () => {
      const service = aService({ ports });
      const local = inLocalMode(service);
      const run = start({ ...local, spec: { ...local.spec, selector: { app: 'web' } } });
      const { cluster } = run;
      await cluster.quiet(afterMs ?? 0);
      if (afterMs !== undefined) putOnNodes(run, ['n1', 'n2', 'n3'], service);
      await cluster.quiet(1_900);
      const soon = cluster.calls().length;
      await cluster.quiet();
      assert.deepEqual([soon, cluster.calls().length], calls);
      assert.deepEqual(
        cluster.kubernetes.events.map(({ reason }) => reason),
        reasons,
      );
      await run.process.stop();
    });

  it('include one further read for each certificate, at creation only', async () => {
    const certificates = ['a', 'b'].map((id) => ({ id, commonName: id, expiresAt: '2030-01-01T00:00:00Z' }));
    const cluster = aCluster();
    cluster.simulator.seed({ certificates });
    const process = cluster.start();
    const https = { 'protocol-port': 'https:443', 'cert-id': 'a', 'domain-extensions': 'x.example:b,y.example:b' };
    cluster.kubernetes.put(SERVICES, aService({ ports: [443], annotations: annotated(https) }));
    await cluster.quiet();
    assert.deepEqual(cluster.calls(), [
      'DescribeLoadBalancers',
      'DescribeServerCertificates',
      'DescribeServerCertificates',
      'CreateLoadBalancer',
      'CreateVServerGroup',
      'CreateLoadBalancerHTTPSListener',
      'CreateDomainExtension',
      'CreateDomainExtension',
      'StartLoadBalancerListener',
    ]);
    const since = callCount({ cluster });
    cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: annotated({ 'idle-timeout': '30' }) } });
    await cluster.quiet();
    assert.deepEqual(cluster.calls(since), ['SetLoadBalancerHTTPSListenerAttribute']);
    await process.stop();
  });

  const CREATIONS = [2, 3, 4, 5, 7];
  const FAULTS: Readonly<
    Record<string, { readonly nths: readonly number[]; effect: string; range: readonly [number, number] }>
  > = {
    'are at most two more if the response to a creation is lost': {
      nths: CREATIONS,
      effect: 'cut-after-commit',
      range: [8, 10],
    },
    'are one more if a call is throttled': { nths: [1, 2, 3, 4, 5, 6, 7, 8], effect: 'throttle', range: [9, 9] },
  };
  for (const [
    what,
    {
      nths,
      effect,
      range: [least, most],
    },
  ] of Object.entries(FAULTS))
    it(what, async () => {
      for (const nth of nths) {
        const cluster = aCluster();
        cluster.simulator.faults([{ action: '*', nth, effect }]);
        const process = cluster.start();
        cluster.kubernetes.put(SERVICES, aService(BOTH));
        await cluster.quiet(3 * 60_000);
        if (nths === CREATIONS) assert.match(cluster.calls()[nth - 1] ?? '', /^Create/);
        const { length } = cluster.calls();
        assert.ok(length >= least && length <= most, `call ${nth}: ${cluster.calls().join(', ')}`);
        await process.stop();
      }
    });
});

describe('the calls for a Service that is served', () => {
  interface Change {
    readonly input?: ServiceInput;
    /** Initial number of Nodes. */
    readonly nodes?: number;
    /** Nodes of its pods in Local mode. */
    readonly pods?: readonly string[];
    readonly restarts?: true;
    readonly act?: (run: Running) => unknown;
    readonly calls: readonly string[];
    /** The number of writes to Kubernetes. */
    readonly writes?: number;
  }
  const flap = ({ cluster }: Running): void => {
    const node = { spec: { providerID: 'cn-hangzhou.i-3' } };
    cluster.kubernetes.put(NODES, aNode('n3', { ...node, ready: 'Unknown' }));
    cluster.kubernetes.put(NODES, aNode('n3', node));
  };
  const CHANGES: Readonly<Record<string, Change>> = {
    'B02: are none without a change, also after a restart': { restarts: true, calls: [], writes: 0 },
    'B03: are none for an edit without effect in the cloud': {
      act: patch({ metadata: { annotations: { note: 'hello' } }, spec: { sessionAffinity: 'None' } }),
      calls: [],
    },
    'B04: are one for a listener attribute': {
      input: { ports: [80] },
      act: patch({ metadata: { annotations: annotated({ scheduler: 'wrr' }) } }),
      calls: ['SetLoadBalancerTCPListenerAttribute'],
      writes: 2,
    },
    'B05: are three for a further port': {
      act: patch({ spec: aService({ ports: [80, 443, 8080] }).spec }),
      calls: ['CreateVServerGroup', ...CREATE_PORT],
    },
    'B06: are one for each port if a Node is added': {
      nodes: 2,
      act: ({ cluster }) => cluster.kubernetes.put(NODES, aNode('n3', { spec: { providerID: 'cn-hangzhou.i-3' } })),
      calls: [ADD, ADD],
      writes: 2,
    },
    'B07: are two for each port if a backend replaces another, the addition first': {
      input: { ports: [80] },
      pods: ['n1', 'n2'],
      act: (run) => putOnNodes(run, ['n1', 'n3']),
      calls: [ADD, REMOVE],
    },
    'B10: are three for its deletion, one of them the proof of ownership': {
      act: ({ cluster }) => cluster.kubernetes.delete(SERVICES, KEY),
      calls: ['DescribeLoadBalancerAttribute', 'SetLoadBalancerDeleteProtection', 'DeleteLoadBalancer'],
    },
    'are none if a Node without its pods flaps': {
      input: { ports: [80] },
      pods: ['n1'],
      act: flap,
      calls: [],
      writes: 0,
    },
  };
  for (const [what, { input = BOTH, nodes, pods, restarts, act, calls, writes }] of Object.entries(CHANGES))
    it(what, async () => {
      const service = aService(input);
      const run = start(pods === undefined ? service : inLocalMode(service), nodes);
      const { cluster } = run;
      if (pods !== undefined) putOnNodes(run, pods, service);
      await cluster.quiet();
      const [since, before] = [callCount(run), cluster.kubernetes.writes.length];
      if (restarts === true) await run.process.stop();
      const process = restarts === true ? cluster.start() : run.process;
      act?.(run);
      await cluster.quiet();
      assert.deepEqual(cluster.calls(since), calls);
      if (writes !== undefined) assert.equal(cluster.kubernetes.writes.length - before, writes);
      await process.stop();
    });
});
