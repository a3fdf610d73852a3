import assert from 'node:assert/strict';
import type { LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import type { CloudInventory } from '../../../src/inventory/custom-resources.ts';
import type { Lease, Service } from '../../../src/base/kubernetes-objects.ts';
import { startControllerCluster, type ControllerCluster } from '../../support/controller-cluster.ts';
import { answered } from '../../support/eventually.ts';

const SERVICE = '/api/v1/namespaces/default/services/web';
const API = '/apis/portcullis.io/v1alpha1';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ccm';
const WEB = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default' },
  spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
};

/** Runs the real process, because RBAC and the Lease exist only in a real API server. */
describe('the leadership terms of a controller with the shipped RBAC', function () {
  this.timeout(300_000);
  let cluster: ControllerCluster;
  before(async () => {
    cluster = await startControllerCluster();
  });
  after(() => cluster[Symbol.asyncDispose]());

  const transitions = async (): Promise<number> =>
    ((await cluster.plane.client.get(LEASE)) as Lease).spec?.leaseTransitions ?? 0;
  const isRecorded = (): Promise<true> =>
    answered(async () => {
      const found = (await cluster.plane.client.find(`${API}/cloudinventories/default`)) as CloudInventory | undefined;
      return found?.status?.leaseTransitions === (await transitions()) ? true : undefined;
    }, 'the inventory records the transitions of the Lease');
  const binding = async (uid: string): Promise<LoadBalancerBinding> =>
    (await cluster.plane.client.get(`${API}/loadbalancerbindings/${uid}`)) as LoadBalancerBinding;

  /** Runs a leading controller until `work` is done. */
  async function lead(work: () => Promise<unknown>): Promise<void> {
    await using controller = await cluster.start();
    await controller.ready();
    await work();
    controller.signal('SIGTERM');
    assert.equal(await controller.ended, 0);
  }

  it('are in the inventory; a Service deleted in another term has an orphaned binding', async () => {
    const { client } = cluster.plane;
    let uid = '';
    await lead(async () => {
      await client.create('/api/v1/namespaces/default/services', WEB);
      const served = await answered(async () => {
        const service = (await client.get(SERVICE)) as Service;
        return service.status?.loadBalancer?.ingress === undefined ? undefined : service;
      }, 'the Service is served');
      ({ uid } = served.metadata);
      await isRecorded();
    });
    await client.patch(LEASE, { spec: { leaseTransitions: (await transitions()) + 1 } });
    await client.patch(SERVICE, { metadata: { finalizers: null } });
    await cluster.plane.kubectl('delete', 'service', 'web');
    await lead(async () => {
      await answered(async () => (await binding(uid)).spec.orphaned, 'the binding is orphaned');
      await isRecorded();
    });
    assert.equal((await binding(uid)).spec.orphaned, true);
  });
});
