import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createCloud } from '../../../src/alibaba/cloud.ts';
import { createCloudMetrics } from '../../../src/alibaba/metrics.ts';
import { defaultLoadBalancerName } from '../../../src/clb/model/naming.ts';
import type { ClusterRecords } from '../../../src/inventory/orphan.ts';
import type { Simulator } from '../../../src/local/simulator/simulator.ts';
import { orphanExitCode, orphanJson, orphanText } from '../../../src/plan-command/orphan-report.ts';
import { orphansIn, type OrphanFinding } from '../../../src/plan-command/orphan-search.ts';
import { transportTo } from '../../support/simulated-controller.ts';
import { aBinding } from '../../support/invariants/history-builders.ts';
import type { LoadBalancerSeed } from '../../support/inventory-fixture.ts';
import { aService } from '../../support/service.ts';
import { aNetwork, aSimulator } from '../../support/simulator.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const { uid } = aService().metadata;
const OWN: LoadBalancerSeed = {
  id: 'lb-own',
  name: 'shop',
  address: '47.96.0.1',
  deleteProtection: 'on',
  tags: { 'kubernetes.do.not.delete': defaultLoadBalancerName(uid), 'ack.aliyun.com': 'c1' },
  listeners: [{ port: 80, protocol: 'tcp' }],
  serverGroups: [{ id: 'rsp-own', name: 'k8s/80/web/shop/c1' }],
};
const aListener = (port: number, service: string, group: string) => ({
  port,
  protocol: 'tcp' as const,
  attributes: { Description: `k8s/${port}/${service}/shop/c1`, VServerGroupId: group },
});
const SHARED: LoadBalancerSeed = {
  id: 'lb-shared',
  tags: { 'kubernetes.reused.by.user': 'true' },
  listeners: [aListener(80, 'web', 'rsp-left'), aListener(81, 'live', 'rsp-live'), aListener(82, 'live', 'rsp-used')],
  serverGroups: [
    { id: 'rsp-left', name: 'k8s/80/web/shop/c1' },
    { id: 'rsp-live', name: 'k8s/81/live/shop/c1' },
    { id: 'rsp-used', name: 'k8s/82/web/shop/c1' },
  ],
};
const LIVE = aService({ name: 'live', uid: '22222222-c2ae-4642-b033-5607860aef6a' });
const FOREIGN = { ...aBinding(), spec: { ...aBinding().spec, clusterUID: 'another-cluster' } };
const RECORDS: Omit<ClusterRecords, 'clusterId'> = {
  clusterUid: 'the-cluster',
  services: [LIVE],
  bindings: [FOREIGN],
};

const WHY =
  'its name belongs to Service shop/web of this cluster; the Service does not exist, and no cleanup of the Service is pending';
const TEXT = `load balancer lb-own (shop, 47.96.0.1)
  why: its tags ack.aliyun.com and kubernetes.do.not.delete name this cluster and a Service that does not exist, and no cleanup of the Service is pending
  protected from deletion: switch the protection off first
  deleted with the load balancer: listeners 80/tcp
  deleted with the load balancer: server group rsp-own (k8s/80/web/shop/c1)

listener 80/tcp of load balancer lb-shared
  why: ${WHY}

server group rsp-left (k8s/80/web/shop/c1) of load balancer lb-shared
  why: ${WHY}

server group rsp-used (k8s/82/web/shop/c1) of load balancer lb-shared
  why: ${WHY}
  cannot be deleted while listeners use it: 82/tcp

binding ${uid}
  why: another cluster created the binding for Service shop/web, and this cluster has no Service with that UID
`;

interface OrphansInput {
  readonly records?: Partial<ClusterRecords>;
  /** Runs when the cluster is read, after the region. */
  readonly meanwhile?: (simulator: Simulator) => void;
}

/** Searches for orphans in a region with two load balancers. */
async function planOrphans({ records = {}, meanwhile }: OrphansInput = {}) {
  const clock = new VirtualClock(Date.parse('2026-01-02T03:04:05Z'));
  const simulator = aSimulator({ clock, world: { ...aNetwork(), loadBalancers: [OWN, SHARED] } });
  const transport = transportTo(simulator, 'portcullis');
  const cloud = createCloud({
    regionId: 'cn-hangzhou',
    transport,
    inventoryTransport: transport,
    guard: () => false,
    isReadOnly: true,
    clock,
    log: pino({ level: 'silent' }),
    metrics: createCloudMetrics(new Registry()),
  });
  const readRecords = (): Promise<Omit<ClusterRecords, 'clusterId'>> => {
    meanwhile?.(simulator);
    return Promise.resolve({ ...RECORDS, ...records });
  };
  const sources = { ...cloud, clusterId: 'c1', protectedIds: new Set<string>(), readRecords };
  const found = await clock.complete(orphansIn(sources, new AbortController().signal));
  return { found, calls: simulator.journal() };
}

const kindsOf = (found: readonly OrphanFinding[]): readonly string[] => found.map(({ kind }) => kind);

/** The plan lists orphans, and never deletes them. */
describe('a plan of orphans', () => {
  it('lists load balancers, listeners, server groups and bindings with the reason', async () => {
    const { found } = await planOrphans();
    assert.equal(orphanText(found), `${TEXT}\n5 orphans; nothing was deleted\n`);
    assert.equal(orphanExitCode(found), 1);
  });

  it('reports for an orphaned binding why the controller does not clean up', async () => {
    const spec = { ...aBinding().spec, clusterUID: 'the-cluster', orphaned: true as const };
    const { found } = await planOrphans({ records: { bindings: [{ ...aBinding(), spec }] } });
    assert.deepEqual(kindsOf(found), ['load-balancer', 'listener', 'server-group', 'server-group', 'binding']);
    assert.match(
      orphanText(found),
      /why: its Service shop\/web was deleted while another controller led, or a later Service with this name may use its resources; so this controller cleans up nothing\n/,
    );
  });

  it('sends only read calls', async () => {
    const { calls } = await planOrphans();
    assert.deepEqual(
      calls.filter(({ kind }) => kind === 'write'),
      [],
    );
  });

  it('has ids and reasons as data', async () => {
    const { found } = await planOrphans();
    assert.deepEqual(found.map(orphanJson)[1], {
      kind: 'listener',
      loadBalancer: 'lb-shared',
      port: 80,
      protocol: 'tcp',
      service: 'shop/web',
      why: WHY,
    });
  });

  it('omits a load balancer that is deleted while the cluster is read', async () => {
    const { found } = await planOrphans({ meanwhile: (simulator) => simulator.seed({ remove: ['lb-own'] }) });
    assert.deepEqual(kindsOf(found), ['listener', 'server-group', 'server-group', 'binding']);
  });

  it('is empty if the Services exist', async () => {
    const { found } = await planOrphans({ records: { services: [LIVE, aService()] } });
    assert.deepEqual(found, []);
    assert.deepEqual([orphanText(found), orphanExitCode(found)], ['0 orphans; nothing was deleted\n', 0]);
  });
});
