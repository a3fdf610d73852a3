import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { startControllerCluster, type ControllerCluster } from '../../support/controller-cluster.ts';
import { answered } from '../../support/eventually.ts';
import { INVARIANTS } from '../../support/invariants/invariants.ts';
import { annotation } from '../../support/running-controller.ts';

/** The invariants that this test does not evaluate. They need minutes of waiting, so suites in virtual time cover them. */
const NOT_SHOWN_HERE = ['NodeDeleteProof'];

const service = (name: string, port: number, annotations: Readonly<Record<string, string>> = {}): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name,
    annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [annotation(key), value])),
  },
  spec: { type: 'LoadBalancer', selector: { app: name }, externalTrafficPolicy: 'Local', ports: [{ port }] },
});
const slice = (name: string, port: number, nodes: readonly string[]): object => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
  addressType: 'IPv4',
  ports: [{ name: '', port, protocol: 'TCP' }],
  endpoints: nodes.map((nodeName, index) => ({
    addresses: [`10.244.0.${index + 1}`],
    nodeName,
    conditions: { ready: true },
  })),
});
const newcomer = (index: number): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `n${index}` },
  spec: {
    providerID: `cn-hangzhou.i-${index}`,
    podCIDR: `10.244.${index}.0/24`,
    podCIDRs: [`10.244.${index}.0/24`],
    taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }],
  },
});

/** Checks the invariants of `test/support/invariants` on a real API server, whose order of events no simulation reproduces. */
describe('the history of a controller process', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: ControllerCluster;

  const apply = async (object: object): Promise<void> => {
    const { code, stderr } = await cluster.plane.kubectlWith(stringify(object), 'apply', '--server-side', '-f', '-');
    assert.equal(code, 0, stderr);
  };
  const isReady = (name: string): Promise<string> =>
    cluster.plane.kubectl('wait', '--for=condition=LoadBalancerReady', `service/${name}`, '--timeout=30s');
  /** Returns the instances in the server group of a Service. */
  const servers = (name: string): readonly string[] =>
    cluster.cloud.simulator.world.serverGroups
      .rows()
      .filter((group) => group.name.includes(`/${name}/`))
      .flatMap(({ backends }) => backends.map(({ serverId }) => serverId));
  const hasServers = (name: string, ...expected: readonly string[]) =>
    answered(
      async () => (servers(name).toSorted().join() === expected.join() ? true : undefined),
      `${name} has the servers ${expected.join()}`,
    );
  const isRouted = (index: number): boolean =>
    [...(cluster.cloud.simulator.world.routeTables.get('vtb-1')?.entries.values() ?? [])].some(
      ({ destination, status }) => destination === `10.244.${index}.0/24` && status.state === 'Available',
    );

  before(async () => {
    cluster = resources.use(await startControllerCluster());
    cluster.cloud.simulator.seed({
      loadBalancers: [{ id: 'lb-hers', name: 'hers' }],
      instances: [4, 5].map((index) => ({
        id: `i-${index}`,
        vSwitchId: 'vsw-1',
        privateAddresses: [`10.1.0.1${index}`],
      })),
    });
    await using controller = await cluster.start();
    await controller.ready();
    await live();
    controller.signal('SIGTERM');
    assert.equal(await controller.ended, 0, controller.output());
  });
  after(async () => {
    await resources.disposeAsync();
  });

  /** Causes the calls and writes that the invariants evaluate. */
  async function live(): Promise<void> {
    // Throttling of this kind ends within a second.
    cluster.cloud.simulator.faults([{ action: 'TagResources', nth: 1, count: 1, effect: 'throttle' }]);
    await apply(slice('web', 80, ['n1']));
    await apply(service('web', 80));
    await apply(service('shared', 8080, { id: 'lb-hers', 'force-override-listeners': 'true' }));
    await apply(newcomer(4));
    await apply(newcomer(5));
    await apply(slice('preserved', 90, ['n1']));
    await apply(service('preserved', 90, { 'preserve-lb-on-delete': 'true' }));
    await Promise.all(['web', 'shared', 'preserved'].map(isReady));
    await apply(slice('web', 80, ['n1', 'n2']));
    await hasServers('web', 'i-1', 'i-2');
    await apply(slice('web', 80, []));
    await hasServers('web');
    await apply(
      service('shared', 8080, { id: 'lb-hers', 'force-override-listeners': 'true', 'established-timeout': '60' }),
    );
    const isChanged = () =>
      cluster.cloud.simulator.journal().some(({ action }) => action === 'SetLoadBalancerTCPListenerAttribute');
    await answered(async () => (isChanged() ? true : undefined), 'the listener of shared is changed');
    await cluster.plane.kubectl(
      'wait',
      '--for=condition=NetworkUnavailable=false',
      'node/n4',
      'node/n5',
      '--timeout=30s',
    );
    await cluster.plane.kubectl('delete', 'node', 'n4');
    await answered(async () => (isRouted(4) ? undefined : true), 'the route of n4 is gone');
    await cluster.plane.kubectl('delete', 'service', 'web', 'shared', 'preserved', '--timeout=30s');
  }

  it('keeps every invariant', async () => {
    assert.deepEqual((await cluster.run.verdict()).violations, []);
  });

  it('contains events for each invariant that can be evaluated within minutes', async () => {
    const { evaluations } = await cluster.run.verdict();
    const idle = INVARIANTS.map(({ name }) => name).filter((name) => evaluations.get(name) === 0);
    assert.deepEqual(idle, NOT_SHOWN_HERE);
  });

  it('records which client makes each change, in order', async () => {
    const history = await cluster.run.history();
    const moments = history.flatMap((moment) => {
      if (moment.kind === 'started') return ['begins to lead'];
      if (moment.kind === 'emitted') return moment.target.name === 'web' ? [moment.reason] : [];
      if (moment.kind !== 'stored' || moment.plural !== 'services' || moment.key !== 'default/web') return [];
      const { before, after, by } = moment;
      return before === undefined || after === undefined ? [`${by}: ${after === undefined ? 'gone' : 'made'}`] : [];
    });
    assert.deepEqual(moments.slice(0, 3), ['begins to lead', 'others: made', 'EnsuredLoadBalancer']);
    assert.ok(moments.indexOf('controller: gone') > 0);
    assert.equal(moments.filter((moment) => moment === 'begins to lead').length, 1);
  });
});
