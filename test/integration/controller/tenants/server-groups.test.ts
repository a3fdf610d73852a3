import assert from 'node:assert/strict';
import { inLocalMode, putOnNodes } from '../../../support/backends.ts';
import { keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import { annotation, loadBalancers, running, type Running } from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const NODE_PORTS = { payments: 30443, 'tenant-b': 31443 };

const backendOf = (namespace: 'payments' | 'tenant-b', serverId: string, clusterId = 'c1') => ({
  serverId,
  port: NODE_PORTS[namespace],
  weight: 100,
  description: `k8s/${NODE_PORTS[namespace]}/web/${namespace}/${clusterId}`,
});
const seed = (backends: readonly object[] = []) => ({
  loadBalancers: [
    {
      ...{ id: 'lb-shared', name: 'by-hand' },
      serverGroups: [
        { id: 'rsp-victim', name: 'victim', backends },
        { id: 'rsp-own', name: 'own' },
      ],
    },
  ],
});

/** Returns a Service that names the group, created at a minute of the hour. */
function naming(namespace: keyof typeof NODE_PORTS, minute: number, over: Record<string, string> = {}): Service {
  const plain = aService({
    ports: [443],
    annotations: { [annotation('id')]: 'lb-shared', [annotation('vgroup-port')]: 'rsp-victim:443', ...over },
  });
  const creationTimestamp = `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
  const ports = (plain.spec?.ports ?? []).map((port) => ({ ...port, nodePort: NODE_PORTS[namespace] }));
  return {
    ...plain,
    spec: { ...plain.spec, ports },
    metadata: { ...plain.metadata, namespace, uid: `uid-${namespace}`, creationTimestamp },
  };
}
const PAY = naming('payments', 10);
const PAY_ELSEWHERE = naming('payments', 10, { [annotation('vgroup-port')]: 'rsp-own:443' });
const TENANT = naming('tenant-b', 20);

/** Returns the namespaces whose node ports are backends of the group. */
const served = (run: Running): readonly string[] => {
  const group = loadBalancers(run)[0]?.serverGroups.find(({ name }) => name === 'victim');
  const ports = (group?.backends ?? []).map(({ port }) => port);
  return Object.entries(NODE_PORTS).flatMap(([namespace, port]) => (ports.includes(port) ? [namespace] : []));
};
function put(run: Running, ...services: readonly Service[]): void {
  for (const service of services) {
    putOnNodes(run, ['n1'], service);
    run.cluster.kubernetes.put(SERVICES, service);
  }
}
const stored = (run: Running, service: Service) => run.cluster.kubernetes.get<Service>(SERVICES, keyOf(service));
const condition = (run: Running, service: Service) =>
  stored(run, service)?.status?.conditions?.find(({ type }) => type === 'LoadBalancerReady');

/** Two tenants can name one server group. Without protection, one tenant could receive the traffic of the other. */
describe('a user-managed server group', () => {
  it('gets no backends of a second namespace; the condition does not name the first namespace', async () => {
    const run = await running({}, seed());
    put(run, PAY);
    await run.cluster.quiet();
    put(run, TENANT);
    await run.cluster.quiet();
    assert.deepEqual(served(run), ['payments']);
    const { status, reason, message = '' } = condition(run, TENANT) ?? {};
    assert.deepEqual([status, reason], ['False', 'GroupOwner']);
    assert.match(message, /^server group rsp-victim belongs to Services of another namespace/);
    assert.doesNotMatch(message, /payments/);
    assert.equal(condition(run, PAY)?.status, 'True');
    await run.process.stop();
  });

  it('gets only the backends of the older Service if two namespaces name it at the same time', async () => {
    const run = await running({}, seed());
    put(run, TENANT, PAY);
    await run.cluster.quiet();
    assert.deepEqual(served(run), ['payments']);
    await run.process.stop();
  });

  it('stays with its namespace if an older Service of another namespace names it', async () => {
    const run = await running({}, seed());
    const older = naming('tenant-b', 1);
    put(run, naming('tenant-b', 1, { [annotation('vgroup-port')]: 'rsp-other:443' }), PAY);
    await run.cluster.quiet();
    put(run, older);
    await run.cluster.quiet();
    assert.deepEqual(served(run), ['payments']);
    await run.process.stop();
  });

  it('stays with its namespace while the namespace has no backends', async () => {
    const run = await running({}, seed());
    const local = inLocalMode(PAY);
    put(run, local);
    await run.cluster.quiet();
    put(run, naming('tenant-b', 1));
    await run.cluster.quiet();
    for (const nodes of [[], ['n1']]) {
      putOnNodes(run, nodes, local);
      await run.cluster.quiet(20 * 60_000);
      assert.deepEqual(served(run), nodes.length === 0 ? [] : ['payments']);
    }
    await run.process.stop();
  });

  const hidden: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
    'names a group that does not exist': { [annotation('vgroup-port')]: 'rsp-none:443' },
    'no longer names the load balancer': { [annotation('id')]: null },
  };
  for (const [what, annotations] of Object.entries(hidden))
    it(`stays with the namespace of its backends if its Service ${what}`, async () => {
      const run = await running({}, seed());
      put(run, PAY_ELSEWHERE);
      put(run, TENANT);
      await run.cluster.quiet();
      run.cluster.kubernetes.patch(SERVICES, keyOf(TENANT), { metadata: { annotations } });
      await run.cluster.quiet();
      put(run, PAY);
      await run.cluster.quiet(15 * 60_000);
      assert.deepEqual(served(run), ['tenant-b']);
      assert.deepEqual([condition(run, PAY)?.status, condition(run, PAY)?.reason], ['False', 'GroupOwner']);
      await run.process.stop();
    });

  it('gets no listener of a second namespace', async () => {
    const run = await running({}, seed());
    put(run, PAY);
    await run.cluster.quiet();
    put(run, naming('tenant-b', 20, { [annotation('force-override-listeners')]: 'true' }));
    await run.cluster.quiet();
    assert.deepEqual(loadBalancers(run)[0]?.listeners, []);
    await run.process.stop();
  });

  it('keeps the backends of two namespaces at a migration; only the oldest Service may add', async () => {
    const run = await running({}, seed([backendOf('payments', 'i-1'), backendOf('tenant-b', 'i-2')]));
    put(run, PAY, TENANT);
    await run.cluster.quiet();
    const backends = loadBalancers(run)[0]?.serverGroups[0]?.backends ?? [];
    const countOf = (namespace: keyof typeof NODE_PORTS): number =>
      backends.filter(({ port }) => port === NODE_PORTS[namespace]).length;
    assert.deepEqual([countOf('payments'), countOf('tenant-b')], [3, 1]);
    assert.equal(condition(run, PAY)?.status, 'True');
    await run.process.stop();
  });

  it('can be shared with another cluster', async () => {
    const run = await running({}, seed([backendOf('payments', 'i-1', 'c2')]));
    put(run, TENANT);
    await run.cluster.quiet();
    assert.deepEqual(served(run), ['payments', 'tenant-b']);
    await run.process.stop();
  });

  it('serves the second namespace after the first no longer names it', async () => {
    const run = await running({}, seed());
    put(run, PAY);
    await run.cluster.quiet();
    put(run, TENANT);
    await run.cluster.quiet();
    run.cluster.kubernetes.patch(SERVICES, keyOf(PAY), {
      metadata: { annotations: { [annotation('vgroup-port')]: null } },
    });
    await run.cluster.quiet(15 * 60_000);
    assert.deepEqual([served(run), condition(run, TENANT)?.status], [['tenant-b'], 'True']);
    await run.process.stop();
  });
});
