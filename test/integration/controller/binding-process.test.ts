import assert from 'node:assert/strict';
import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { startControllerCluster, type ControllerCluster } from '../../support/controller-cluster.ts';
import { answered } from '../../support/eventually.ts';
import { annotated } from '../../support/running-controller.ts';
import type { SpawnedController } from '../../support/spawned-controller.ts';
import { requestsIn } from '../../support/permission-usage/requests.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const BINDINGS = '/apis/portcullis.io/v1alpha1/loadbalancerbindings';
const CRD = 'loadbalancerbindings.portcullis.io';
interface Listener {
  readonly status: string;
  readonly attributes: { readonly PersistenceTimeout?: number };
}

const isRunning = (each: readonly { readonly listeners: readonly Listener[] }[]): boolean =>
  each.every(({ listeners }) => listeners.every(({ status }) => status === 'running'));

const WEB = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default' },
  spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
};

/** Runs the real process, because only a real API server enforces RBAC and conflicts on bindings. */
describe('the bindings of a controller with the shipped RBAC', function () {
  this.timeout(300_000);
  const resources = new AsyncDisposableStack();
  let cluster: ControllerCluster;
  let controller: SpawnedController;

  const loadBalancers = (): readonly {
    readonly id: string;
    readonly name: string;
    readonly listeners: readonly Listener[];
  }[] =>
    (cluster.cloud.simulator.state() as { loadBalancers: { id: string; name: string; listeners: Listener[] }[] })
      .loadBalancers;
  const uidOfWeb = async (): Promise<string> => {
    const { metadata } = (await cluster.plane.client.get(`${SERVICES}/web`)) as Service;
    return metadata.uid;
  };
  const binding = async (uid: string): Promise<LoadBalancerBinding | undefined> =>
    (await cluster.plane.client.find(`${BINDINGS}/${uid}`)) as LoadBalancerBinding | undefined;
  const synced = (uid: string): Promise<LoadBalancerBinding> =>
    answered(async () => {
      const found = await binding(uid);
      return found?.spec.syncedDigest !== undefined && found.spec.operation === undefined ? found : undefined;
    }, 'the binding records that the Service is synced');
  const annotate = (annotations: Readonly<Record<string, string>>): Promise<unknown> =>
    cluster.plane.client.patch(`${SERVICES}/web`, { metadata: { annotations: annotated(annotations) } });
  const annotateBinding = (uid: string, annotations: Readonly<Record<string, string>>): Promise<unknown> =>
    cluster.plane.client.apply(`${BINDINGS}/${uid}`, {
      apiVersion: 'portcullis.io/v1alpha1',
      kind: LOAD_BALANCER_BINDINGS.kind,
      metadata: { name: uid, annotations },
    });
  /** Returns whether the controller has read a single object of a kind. */
  const hasRead = async (plural: string): Promise<boolean> =>
    requestsIn(await cluster.plane.auditLog()).some(([{ verb, resource }]) => verb === 'get' && resource === plural);

  before(async () => {
    cluster = resources.use(await startControllerCluster());
    controller = resources.use(await cluster.start());
    await controller.ready();
    await cluster.plane.client.create(SERVICES, WEB);
    await synced(await uidOfWeb());
  });
  after(async () => {
    await resources.disposeAsync();
  });

  it('are listed with Service, load balancer and use', async () => {
    const [head = '', row = ''] = (await cluster.plane.kubectl('get', 'lbb')).split('\n');
    assert.match(head, /^NAME +NAMESPACE +SERVICE +LOAD BALANCER +ADDRESS +USE +OPERATION +AGE$/);
    assert.match(
      row,
      new RegExp(`^${await uidOfWeb()} +default +web +${loadBalancers()[0]?.id} +47\\.\\S+ +owned +\\d`),
    );
  });

  it('are read again after a concurrent change, and the Service is synced', async () => {
    const uid = await uidOfWeb();
    const end = new AbortController();
    const changing = (async (): Promise<void> => {
      for (let count = 0; !end.signal.aborted; count += 1) await annotateBinding(uid, { count: String(count) });
    })();
    try {
      let tries = 0;
      await answered(async () => {
        await annotate({ scheduler: (tries += 1) % 2 === 0 ? 'wrr' : 'rr' });
        return (await hasRead(LOAD_BALANCER_BINDINGS.plural)) || undefined;
      }, 'the controller reads the binding');
    } finally {
      end.abort();
      await changing;
    }
    await annotate({ 'persistence-timeout': '100' });
    await answered(async () => {
      const timeout = loadBalancers()[0]?.listeners[0]?.attributes.PersistenceTimeout;
      return timeout === 100 ? true : undefined;
    }, 'the last change is made');
    await synced(uid);
    assert.equal(loadBalancers().length, 1);
  });

  it('are written again after their definition returns, and nothing changes before', async () => {
    const uid = await uidOfWeb();
    // A listener stays in state `starting` for a moment.
    const before = await answered(
      () => Promise.resolve(isRunning(loadBalancers()) ? loadBalancers() : undefined),
      'the listener is running',
    );
    await cluster.plane.kubectl('delete', 'crd', CRD, '--timeout=60s');
    await annotate({ name: 'shop' });
    await answered(async () => {
      const events = await cluster.plane.kubectl('get', 'events', '-o', 'json');
      return events.includes('FailedUpdateBinding') && events.includes(CRD) ? true : undefined;
    }, 'an event names the definition');
    assert.deepEqual(loadBalancers(), before);
    await cluster.plane.kubectl('apply', '--server-side', '-k', 'manifests/crds');
    await cluster.plane.kubectl('wait', '--for=condition=Established', `crd/${CRD}`, '--timeout=60s');
    await synced(uid);
    assert.deepEqual(
      loadBalancers().map(({ id, name }) => [id, name]),
      before.map(({ id }) => [id, 'shop']),
    );
  });

  it('are corrected if a user sets another load balancer while no controller runs', async () => {
    const uid = await uidOfWeb();
    const { spec } = (await binding(uid)) ?? assert.fail();
    const before = loadBalancers();
    controller.signal('SIGTERM');
    await controller.ended;
    await cluster.plane.kubectl('delete', 'lbb', uid, '--timeout=60s');
    await cluster.plane.client.create(BINDINGS, {
      apiVersion: 'portcullis.io/v1alpha1',
      kind: LOAD_BALANCER_BINDINGS.kind,
      metadata: { name: uid },
      spec: { ...spec, loadBalancer: { id: 'lb-old', use: 'reused', address: '47.1.1.9' } },
    });
    controller = resources.use(await cluster.start());
    await answered(
      async () => ((await binding(uid))?.spec.loadBalancer?.id === spec.loadBalancer?.id ? true : undefined),
      'the binding records the load balancer that serves the Service',
    );
    await synced(uid);
    assert.deepEqual(loadBalancers(), before);
  });

  it('allow cleanup of a Service that vanished without its finalizer while no controller ran', async () => {
    const uid = await uidOfWeb();
    controller.signal('SIGTERM');
    await controller.ended;
    await cluster.plane.client.patch(`${SERVICES}/web`, { metadata: { finalizers: null } });
    await cluster.plane.kubectl('delete', 'service', 'web', '--timeout=60s');
    assert.equal(loadBalancers().length, 1);
    resources.use(await cluster.start());
    await answered(async () => ((await binding(uid)) === undefined ? true : undefined), 'the binding is deleted');
    assert.deepEqual(loadBalancers(), []);
    assert.ok(await hasRead('services'), 'the controller has read whether the Service exists');
  });
});
