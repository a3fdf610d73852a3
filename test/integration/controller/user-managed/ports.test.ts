import assert from 'node:assert/strict';
import { cloudPicture } from '../../../support/cloud-picture.ts';
import { keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import {
  annotated,
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
import { aService, type ServiceInput } from '../../../support/service.ts';

const READY = ['True', 'EnsuredLoadBalancer'];
const FINALIZERS = ['service.k8s.alibaba/resources'];
const MANAGING = { id: 'lb-made', 'force-override-listeners': 'true' };
const MADE = {
  ...{ id: 'lb-made', name: 'by-hand', address: '47.1.1.1' },
  serverGroups: [{ id: 'rsp-hers', name: 'hers', backends: [] }],
};
const ADDRESS = [{ ip: MADE.address }];
const startedWith = (extra: object = {}): Promise<Running> => running({}, { loadBalancers: [{ ...MADE, ...extra }] });

const port = (number: number, nodePort: number) => ({
  ...{ name: `p${number}`, port: number, protocol: 'TCP', targetPort: number },
  nodePort,
});
const API = { name: 'api', uid: '00000000-0000-4000-8000-000000000002' };
const web = (ports: ServiceInput['ports'] = [80], annotations: Readonly<Record<string, string>> = MANAGING) =>
  aService({ annotations: annotated(annotations), ports });
const api = (
  ports: ServiceInput['ports'] = [port(80, 31_080)],
  annotations: Readonly<Record<string, string>> = MANAGING,
) => aService({ ...API, annotations: annotated(annotations), ports });
const put = async ({ cluster }: Running, ...services: readonly ReturnType<typeof web>[]): Promise<void> => {
  for (const service of services) cluster.kubernetes.put(SERVICES, service);
  await cluster.quiet();
};
const listeners = (run: Running) => loadBalancers(run)[0]?.listeners.map(({ attributes }) => attributes['Description']);
const groups = (run: Running) => (loadBalancers(run)[0]?.serverGroups ?? []).map(({ name }) => name).toSorted();

/** Two Services must not take a port from each other, because the traffic of one would go to the other. */
describe('a Service without a port that can be served on a user-managed load balancer', () => {
  const HERS = { listeners: [{ port: 80, protocol: 'tcp', attributes: { Description: 'hers' } }] };
  const WITHOUT: Readonly<Record<string, { readonly annotations: Record<string, string>; readonly extra?: object }>> = {
    'a user-managed listener has its port': { annotations: MANAGING, extra: HERS },
    'its server group is missing': { annotations: { id: 'lb-made', 'vgroup-port': 'rsp-none:80' } },
    'its group is missing and it manages listeners': { annotations: { ...MANAGING, 'vgroup-port': 'rsp-none:80' } },
  };
  for (const [why, { annotations, extra }] of Object.entries(WITHOUT))
    it(`changes nothing and gets no address if ${why}`, async () => {
      const run = await startedWith(extra);
      const before = cloudPicture(run.cluster.simulator);
      await put(run, web([80], annotations));
      const { finalizers, labels = {} } = run.cluster.service()?.metadata ?? {};
      assert.deepEqual([ingress(run), finalizers, labels], [undefined, undefined, {}]);
      assert.equal(statusAndReason(run)[0], 'False');
      assert.deepEqual(cloudPicture(run.cluster.simulator), before);
      await patch(run, { metadata: { annotations: { 'service.beta.kubernetes.io/class': 'other' } } });
      assert.deepEqual([ingress(run), run.cluster.service()?.metadata.finalizers], [undefined, undefined]);
      await run.process.stop();
    });

  it('gets its address after one port can be served, and can change attributes', async () => {
    const run = await startedWith(HERS);
    await put(run, web());
    await patch(run, { spec: web([80, 443]).spec });
    assert.deepEqual([ingress(run), statusAndReason(run)], [ADDRESS, ['False', 'PortUnavailable']]);
    assert.deepEqual(run.cluster.service()?.metadata.finalizers, FINALIZERS);
    const since = callCount(run);
    await patch(run, { metadata: { annotations: annotated({ name: 'renamed' }) } });
    assert.deepEqual([changes(run, since), loadBalancers(run)[0]?.name], [['SetLoadBalancerName'], 'renamed']);
    await run.process.stop();
  });
});

describe('two Services with the same port that do not manage listeners', () => {
  const LISTENER = { port: 80, protocol: 'tcp', attributes: { VServerGroupId: 'rsp-hers' } };
  interface Sharing {
    readonly annotations: Readonly<Record<string, string>>;
    readonly groups: readonly string[];
    /** Node ports in the user-managed server group. */
    readonly nodePorts: readonly number[];
  }
  const SHARINGS: Readonly<Record<string, Sharing>> = {
    'have a server group each': {
      annotations: { id: 'lb-made' },
      groups: ['hers', 'k8s/30080/web/shop/c1', 'k8s/31080/api/shop/c1'],
      nodePorts: [],
    },
    'share a user-managed server group': {
      annotations: { id: 'lb-made', 'vgroup-port': 'rsp-hers:80' },
      groups: ['hers'],
      nodePorts: [30_080, 31_080],
    },
  };
  for (const [what, row] of Object.entries(SHARINGS))
    it(`${what} and become ready`, async () => {
      const run = await startedWith({ listeners: [LISTENER] });
      await put(run, web([80], row.annotations), api([port(80, 31_080)], row.annotations));
      assert.deepEqual([groups(run), loadBalancers(run)[0]?.listeners.length], [row.groups, 1]);
      const hers = loadBalancers(run)[0]?.serverGroups.find(({ name }) => name === 'hers');
      assert.deepEqual([...new Set(hers?.backends.map((backend) => backend.port))].toSorted(), row.nodePorts);
      assert.deepEqual([statusAndReason(run), statusAndReason(run, 'api')], [READY, READY]);
      await run.process.stop();
    });
});

describe('a port that two Services want on a user-managed load balancer', () => {
  for (const [when, areAtOnce] of Object.entries({ 'in turn': false, together: true }))
    it(`is served for the first if created ${when}, and for the other after the first is deleted`, async () => {
      const run = await startedWith();
      await (areAtOnce ? put(run, web(), api()) : put(run, web()));
      const since = callCount(run);
      if (!areAtOnce) await put(run, api());
      assert.deepEqual(changes(run, since), []);
      assert.deepEqual([listeners(run), groups(run)], [['k8s/80/web/shop/c1'], ['hers', 'k8s/30080/web/shop/c1']]);
      assert.deepEqual([ingress(run), ingress(run, 'api')], [ADDRESS, undefined]);
      const [event = ''] = events(run, 'SyncLoadBalancerFailed');
      assert.match(event, /port 80\/tcp of the load balancer is used by Service shop\/web/);
      run.cluster.kubernetes.delete(SERVICES, keyOf(web()));
      await run.cluster.quiet(10_000);
      assert.deepEqual([listeners(run), ingress(run, 'api')], [['k8s/80/api/shop/c1'], ADDRESS]);
      await run.process.stop();
    });

  it('is served for one of them if both add it at the same time', async () => {
    const run = await startedWith();
    await put(run, web(), api([port(81, 31_081)]));
    const since = callCount(run);
    run.cluster.kubernetes.patch(SERVICES, keyOf(web()), { spec: web([80, 443]).spec });
    run.cluster.kubernetes.patch(SERVICES, keyOf(api()), { spec: api([port(81, 31_081), port(443, 31_443)]).spec });
    await run.cluster.quiet();
    const creations = changes(run, since).filter((action) => action.startsWith('Create'));
    assert.deepEqual(creations, ['CreateVServerGroup', 'CreateLoadBalancerTCPListener']);
    assert.match(events(run, 'SyncLoadBalancerFailed').join(), /port 443\/tcp .* used by Service shop\/(?:web|api)/);
    await run.process.stop();
  });

  it('costs no further call while only one Service wants it', async () => {
    const run = await startedWith();
    await put(run, web());
    const since = callCount(run);
    await patch(run, { spec: web([80, 443]).spec });
    assert.deepEqual(run.cluster.calls(since), [
      'CreateVServerGroup',
      'CreateLoadBalancerTCPListener',
      'StartLoadBalancerListener',
    ]);
    await run.process.stop();
  });

  it('delays no other Service while the cloud does not answer', async () => {
    const run = await startedWith();
    const { cluster } = run;
    const fault = { action: 'CreateLoadBalancerTCPListener', effect: 'timeout-before-commit', count: 'forever' };
    cluster.simulator.faults([{ ...fault, filter: { LoadBalancerId: 'lb-made' } }]);
    for (let index = 0; index < 9; index += 1) {
      const named = { name: `bad-${index}`, uid: `${index}0000000-0000-4000-8000-000000000000` };
      const ports = [port(100 + index, 31_100 + index)];
      cluster.kubernetes.put(SERVICES, aService({ ...named, annotations: annotated(MANAGING), ports }));
    }
    await cluster.quiet(2_000);
    cluster.kubernetes.put(SERVICES, aService());
    await cluster.quiet(5_000);
    assert.notEqual(ingress(run), undefined);
    cluster.simulator.clearFaults();
    await cluster.quiet(10 * 60_000);
    assert.equal(loadBalancers(run).find(({ id }) => id === 'lb-made')?.listeners.length, 9);
    await run.process.stop();
  });
});
