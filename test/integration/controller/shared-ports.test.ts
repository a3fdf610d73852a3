import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  now,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService, type ServiceSaid } from '../../support/service.ts';

const ANNOTATIONS = annotated({ id: 'lb-made', 'force-override-listeners': 'true' });
const GROUP = { id: 'rsp-hers', name: 'hers', backends: [] };
const SEED = { loadBalancers: [{ id: 'lb-made', name: 'by-hand', address: '47.1.1.1', serverGroups: [GROUP] }] };

const API = { name: 'api', uid: '00000000-0000-4000-8000-000000000002' };
const READY = ['True', 'EnsuredLoadBalancer'];

const port = (number: number, nodePort: number) => ({
  name: `p${number}`,
  port: number,
  protocol: 'TCP',
  targetPort: number,
  nodePort,
});
const web = (ports: ServiceSaid['ports'] = [80]) => aService({ annotations: ANNOTATIONS, ports });
const api = (ports: ServiceSaid['ports'] = [port(80, 31_080)]) => aService({ ...API, annotations: ANNOTATIONS, ports });
const listeners = (run: Running) => loadBalancers(run)[0]?.listeners.map(({ attributes }) => attributes['Description']);

describe('two Services that do not manage the listeners of a load balancer', () => {
  const LISTENER = { port: 80, protocol: 'tcp', attributes: { VServerGroupId: 'rsp-hers' } };
  const both = async (more: Readonly<Record<string, string>>): Promise<Running> => {
    const annotations = annotated({ id: 'lb-made', ...more });
    const listened = SEED.loadBalancers.map((loadBalancer) => ({ ...loadBalancer, listeners: [LISTENER] }));
    const run = await running({}, { loadBalancers: listened });
    run.cluster.kubernetes.put(SERVICES, aService({ annotations }));
    run.cluster.kubernetes.put(SERVICES, aService({ ...API, annotations, ports: [port(80, 31_080)] }));
    await run.cluster.quiet();
    return run;
  };

  it('may have the same port: each gets a server group, and both become ready', async () => {
    const run = await both({});
    const groups = loadBalancers(run)[0]?.serverGroups.map(({ name }) => name) ?? [];
    assert.deepEqual(groups.toSorted(), ['hers', 'k8s/30080/web/shop/c1', 'k8s/31080/api/shop/c1']);
    assert.equal(loadBalancers(run)[0]?.listeners.length, 1);
    assert.deepEqual([standing(run), standing(run, 'api')], [READY, READY]);
    await run.process.stop();
  });

  it('may share one server group for the same port', async () => {
    const run = await both({ 'vgroup-port': 'rsp-hers:80' });
    const [group] = loadBalancers(run)[0]?.serverGroups ?? [];
    const ports = new Set(group?.backends.map((backend) => backend.port));
    assert.deepEqual([...ports].sort(), [30_080, 31_080]);
    assert.deepEqual([standing(run), standing(run, 'api')], [READY, READY]);
    await run.process.stop();
  });
});

describe('two Services that want one port of a load balancer in the same instant', () => {
  it('are given it one by one: the loser makes nothing, publishes nothing, and is told whose it is', async () => {
    const run = await running({}, SEED);
    run.cluster.kubernetes.put(SERVICES, web());
    run.cluster.kubernetes.put(SERVICES, api());
    await run.cluster.quiet();
    assert.deepEqual(listeners(run), ['k8s/80/web/shop/c1']);
    assert.deepEqual(
      loadBalancers(run)[0]?.serverGroups.map(({ name }) => name),
      ['hers', 'k8s/30080/web/shop/c1'],
    );
    assert.deepEqual([ingress(run), ingress(run, 'api')], [[{ ip: '47.1.1.1' }], undefined]);
    assert.match(events(run, 'SyncLoadBalancerFailed').join(), /held by Service shop\/web/);
    await run.process.stop();
  });

  it('are so too where both have been served on others of its ports for long', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: ANNOTATIONS });
    run.cluster.kubernetes.put(SERVICES, api([port(81, 31_081)]));
    await run.cluster.quiet();
    const since = now(run);
    run.cluster.kubernetes.patch(SERVICES, keyOf(web()), { spec: web([80, 443]).spec });
    run.cluster.kubernetes.patch(SERVICES, keyOf(api()), { spec: api([port(81, 31_081), port(443, 31_443)]).spec });
    await run.cluster.quiet();
    assert.equal(changes(run, since).filter((action) => action === 'CreateLoadBalancerTCPListener').length, 1);
    assert.equal(changes(run, since).filter((action) => action === 'CreateVServerGroup').length, 1);
    assert.match(events(run, 'SyncLoadBalancerFailed').join(), /port 443\/tcp .* held by Service shop\/(?:web|api)/);
    await run.process.stop();
  });

  it('keep nobody else waiting while the cloud answers none of them', async () => {
    const run = await running({}, SEED);
    const { cluster } = run;
    const filter = { LoadBalancerId: 'lb-made' };
    cluster.simulator.faults([
      { action: 'CreateLoadBalancerTCPListener', effect: 'timeout-before-commit', filter, count: 'forever' },
    ]);
    for (let index = 0; index < 9; index += 1) {
      const uid = `${index}0000000-0000-4000-8000-000000000000`;
      const ports = [port(100 + index, 31_100 + index)];
      cluster.kubernetes.put(SERVICES, aService({ name: `bad-${index}`, uid, annotations: ANNOTATIONS, ports }));
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

  it('cost one that is alone no further call', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: ANNOTATIONS });
    const since = now(run);
    run.cluster.kubernetes.patch(SERVICES, keyOf(web()), { spec: web([80, 443]).spec });
    await run.cluster.quiet();
    assert.deepEqual(run.cluster.calls(since), [
      'CreateVServerGroup',
      'CreateLoadBalancerTCPListener',
      'StartLoadBalancerListener',
    ]);
    await run.process.stop();
  });
});
