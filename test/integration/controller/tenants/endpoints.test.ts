import assert from 'node:assert/strict';
import { PODS, type EndpointSlice, type Pod, type Service } from '../../../../src/base/kubernetes-objects.ts';
import { BACKEND_TYPE, inLocalMode } from '../../../support/backends.ts';
import { aCluster, ENDPOINT_SLICES, objectKey, SERVICES } from '../../../support/simulated-cluster.ts';
import { aPodSlice, interfacesOf } from '../../../support/pods.ts';
import { events, loadBalancers, type Running } from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const GATE = 'service.readiness.alibabacloud.com/web';
const plain = aService({ ports: [80], annotations: { [BACKEND_TYPE]: 'eni' } });
const LOCAL = inLocalMode(aService());

/** A pod of namespace `payments` with a readiness gate for a Service named `web`. */
const PAYMENTS_POD = {
  metadata: { name: 'pod-1', namespace: 'payments', uid: 'pod-1' },
  spec: { containers: [], readinessGates: [{ conditionType: GATE }] },
  status: { conditions: [{ type: 'ContainersReady', status: 'True' }] },
};

/** Returns the slice of the Service. Its first endpoint names a pod of namespace `payments`. */
function crossing(service: Service): EndpointSlice {
  const slice = aPodSlice(service, [1, 2]);
  const [first, ...rest] = slice.endpoints ?? [];
  if (first === undefined) throw new Error('the slice has no endpoint');
  return { ...slice, endpoints: [{ ...first, targetRef: { ...first.targetRef, namespace: 'payments' } }, ...rest] };
}

async function started(service: Service): Promise<Running> {
  const cluster = aCluster();
  cluster.simulator.seed({ networkInterfaces: interfacesOf(2) });
  const process = cluster.start();
  cluster.kubernetes.put(PODS, PAYMENTS_POD);
  cluster.kubernetes.put(SERVICES, service);
  return { cluster, process };
}

const conditions = ({ cluster }: Running): number | undefined =>
  cluster.kubernetes.get<Pod>(PODS, objectKey('pod-1', 'payments'))?.status?.conditions?.length;

const servers = (run: Running): readonly (string | undefined)[] =>
  (loadBalancers(run)[0]?.serverGroups[0]?.backends ?? []).map(({ serverIp, serverId }) => serverIp ?? serverId);

/** A tenant can write EndpointSlices that name pods of another namespace. Those pods must not become backends. */
describe('an endpoint of another namespace', () => {
  it('registers no pod of that namespace, and an event names its slice', async () => {
    const run = await started(plain);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, crossing(plain));
    await run.cluster.quiet();
    assert.equal(conditions(run), 1);
    assert.deepEqual(servers(run), ['10.1.1.2']);
    assert.deepEqual(events(run, 'SkipSyncBackends'), [
      'Skipped endpoints that name a pod of another namespace; remove the endpoints from EndpointSlice web-slice',
    ]);
    await run.process.stop();
  });

  it('is recognized only by its pod; an endpoint without a pod is a backend', async () => {
    const run = await started(plain);
    const slice = aPodSlice(plain, [1, 2]);
    const endpoints = (slice.endpoints ?? []).map(({ addresses, conditions = {} }) => ({ addresses, conditions }));
    run.cluster.kubernetes.put(ENDPOINT_SLICES, { ...slice, endpoints });
    await run.cluster.quiet();
    assert.deepEqual([servers(run), conditions(run)], [['10.1.1.1', '10.1.1.2'], 1]);
    await run.process.stop();
  });

  it('adds no Node in Local mode', async () => {
    const run = await started(LOCAL);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, crossing(LOCAL));
    await run.cluster.quiet();
    assert.deepEqual([servers(run), conditions(run)], [['10.1.0.12'], 1]);
    await run.process.stop();
  });

  it('is reported once, and again after it is removed and added', async () => {
    const run = await started(plain);
    for (const slice of [crossing(plain), aPodSlice(plain, [2]), crossing(plain)]) {
      run.cluster.kubernetes.put(ENDPOINT_SLICES, slice);
      await run.cluster.quiet(2 * 60 * 60_000);
    }
    assert.equal(events(run, 'SkipSyncBackends').length, 2);
    await run.process.stop();
  });
});
