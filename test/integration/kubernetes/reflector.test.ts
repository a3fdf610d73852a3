import assert from 'node:assert/strict';
import type { ApiCall } from '../../../src/kubernetes/api-call.ts';
import { PortcullisError } from '../../../src/base/errors.ts';
import type { Requests, Transport } from '../../../src/kubernetes/transport.ts';
import { Writer } from '../../../src/kubernetes/writer.ts';
import { CONFIG_MAPS, SERVICES, keyOf, objectKey, type ConfigMap } from '../../../src/base/kubernetes-objects.ts';
import { borrowControlPlane } from '../../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../../support/control-plane.ts';
import { follow, restart, startAgain, transportFor, until, type Followed } from '../../support/kubernetes-access.ts';

const never = new AbortController().signal;

/** A gap in a watch would hide changes, and the controller would keep deleted backends. */
describe('a reflector on a real API server', function () {
  this.timeout(120_000);
  let plane: TestControlPlane;
  let transport: Transport;
  let writer: Writer;

  before(async () => {
    plane = await borrowControlPlane();
    transport = await transportFor(plane.kubeconfig);
    writer = new Writer(transport);
  });
  after(async () => {
    await transport[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  const namespaceWith = async (namespace: string, count = 0): Promise<void> => {
    await plane.client.create('/api/v1/namespaces', { metadata: { name: namespace } });
    for (let from = 0; from < count; from += 50) {
      const names = Array.from({ length: Math.min(50, count - from) }, (_, at) => `map-${from + at}`);
      await Promise.all(names.map((name) => create(namespace, name)));
    }
  };
  const create = (namespace: string, name: string) =>
    writer.create<ConfigMap>(CONFIG_MAPS, { metadata: { name, namespace } }, never);
  const remove = (namespace: string, name: string) => writer.delete(CONFIG_MAPS, objectKey(name, namespace), {}, never);
  const synced = (followed: Followed<ConfigMap>) => until('the first list', () => followed.cache.hasSynced());
  const stateOf = ({ cache }: Followed<ConfigMap>) =>
    [...cache.values()]
      .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion} ${metadata.uid}`)
      .toSorted();

  /** An API server without streaming lists. `onPage` is called before each page, with its number. */
  const withoutStreaming = (onPage?: (page: number) => Promise<void>): Requests & { readonly pages: ApiCall[] } => {
    const pages: ApiCall[] = [];
    return {
      pages,
      json: (call, signal) => transport.json(call, signal),
      stream: async (call, signal) => {
        if (call.query?.['limit'] !== undefined) {
          const page = pages.push(call);
          await onPage?.(page);
        }
        if (call.query?.['sendInitialEvents'] !== undefined)
          throw new PortcullisError('Rejected', 'not served', { code: '422' });
        return transport.stream(call, signal);
      },
    };
  };

  it('stores the same objects from a streaming list and from pages, and watches both', async () => {
    await namespaceWith('agree', 1_100);
    const select = { namespace: 'agree' };
    const paged = withoutStreaming();
    await using streaming = follow<ConfigMap>(transport, { resource: CONFIG_MAPS, select });
    await using paging = follow<ConfigMap>(paged, { resource: CONFIG_MAPS, select });
    await Promise.all([synced(streaming), synced(paging)]);
    assert.equal(streaming.cache.size, 1_100);
    assert.deepEqual(stateOf(streaming), stateOf(paging));
    assert.equal(paged.pages.length, 3);
    await create('agree', 'one-more');
    await remove('agree', 'map-7');
    const isThere = ({ cache }: Followed<ConfigMap>) =>
      cache.get(objectKey('one-more', 'agree')) !== undefined && cache.get(objectKey('map-7', 'agree')) === undefined;
    await until('the changes', () => isThere(streaming) && isThere(paging));
    assert.deepEqual(stateOf(streaming), stateOf(paging));
    assert.equal(
      [...streaming.cache.values()].some(({ metadata }) => metadata.managedFields !== undefined),
      false,
    );
  });

  it('selects Services of type LoadBalancer, and drops a Service whose type changes', async () => {
    await namespaceWith('select');
    const service = (name: string, type: string) => ({
      metadata: { name, namespace: 'select' },
      spec: { type, ports: [{ port: 80 }] },
    });
    await writer.create(SERVICES, service('wanted', 'LoadBalancer'), never);
    await writer.create(SERVICES, service('other', 'ClusterIP'), never);
    const select = { namespace: 'select', fieldSelector: 'spec.type=LoadBalancer' };
    await using services = follow(transport, { resource: SERVICES, select });
    await until('the first list', () => services.cache.hasSynced());
    assert.deepEqual([...services.cache.values()].map(keyOf), ['select/wanted']);
    await writer.mergePatch(SERVICES, objectKey('wanted', 'select'), { spec: { type: 'ClusterIP' } }, {}, never);
    await until('the Service to be dropped', () => services.cache.size === 0);
  });

  it('continues without a gap after the API server is killed and restarted', async () => {
    await namespaceWith('restart', 10);
    await using maps = follow<ConfigMap>(transport, { resource: CONFIG_MAPS, select: { namespace: 'restart' } });
    await synced(maps);
    await plane.kill();
    await until('the disconnection to be detected', () => maps.reflector.problem() !== undefined);
    assert.equal(maps.cache.size, 10);
    await startAgain(plane);
    await create('restart', 'after');
    await remove('restart', 'map-3');
    await until(
      'the changes',
      () => maps.cache.get(objectKey('after', 'restart')) !== undefined && maps.cache.size === 10,
    );
    assert.equal(maps.cache.get(objectKey('map-3', 'restart')), undefined);
    assert.equal(maps.reflector.problem(), undefined);
  });

  it('lists again if its version expired while disconnected, and drops deleted objects', async () => {
    await namespaceWith('expire', 10);
    const cut = cuttable(transport);
    await using maps = follow<ConfigMap>(cut, { resource: CONFIG_MAPS, select: { namespace: 'expire' } });
    await synced(maps);
    cut.cut();
    await until('the disconnection to be detected', () => maps.reflector.problem() !== undefined);
    await remove('expire', 'map-3');
    await create('expire', 'after');
    await plane.compact();
    await restart(plane);
    cut.mend();
    await until('the changes', () => maps.cache.get(objectKey('after', 'expire')) !== undefined);
    assert.equal(maps.cache.get(objectKey('map-3', 'expire')), undefined);
    assert.equal(maps.cache.size, 10);
    assert.ok((await maps.count('reflector_lists_total')) >= 2);
    assert.equal(maps.reflector.problem(), undefined);
  });

  it('reads pages again if the token of a page has expired', async () => {
    await namespaceWith('pages', 1_100);
    const compacting = withoutStreaming(async (page) => {
      if (page !== 2) return;
      await create('pages', 'meanwhile');
      await plane.compact();
      await restart(plane);
    });
    await using maps = follow<ConfigMap>(compacting, { resource: CONFIG_MAPS, select: { namespace: 'pages' } });
    await until('the first list', () => maps.cache.hasSynced());
    assert.equal(maps.cache.size, 1_101);
    assert.ok(compacting.pages.length >= 5, `${compacting.pages.length} pages`);
  });

  it('replaces an idle watch, and reports a problem only if the API server does not respond', async () => {
    await namespaceWith('silent');
    await using impatient = await transportFor(plane.kubeconfig, { watchIdleMs: 2_000 });
    await using maps = follow<ConfigMap>(impatient, { resource: CONFIG_MAPS, select: { namespace: 'silent' } });
    await synced(maps);
    plane.freeze();
    try {
      await until('the problem', () => maps.reflector.problem() !== undefined);
    } finally {
      plane.resume();
    }
    await create('silent', 'after');
    await until('the change', () => maps.cache.size === 1);
  });

  it('reports a kind that is not served, and syncs when it is', async () => {
    const resource = { group: 'example.org', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: false };
    await using widgets = follow(transport, { resource });
    await until('a problem', () => (widgets.reflector.problem() ?? '').includes('does not serve this kind: install'));
    const schema = { openAPIV3Schema: { type: 'object' } };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.org' },
      spec: {
        group: 'example.org',
        names: { plural: 'widgets', kind: 'Widget' },
        scope: 'Cluster',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    await plane.client.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await until('the first list', () => widgets.cache.hasSynced());
  });
});

/** Returns a connection to the server that a test can cut and restore. */
function cuttable(transport: Requests): Requests & { cut(): void; mend(): void } {
  let cutter = new AbortController();
  const away = (): PortcullisError => new PortcullisError('Unavailable', 'cut off');
  return {
    json: (call, signal) => (cutter.signal.aborted ? Promise.reject(away()) : transport.json(call, signal)),
    stream: (call, signal) =>
      cutter.signal.aborted ? Promise.reject(away()) : transport.stream(call, AbortSignal.any([signal, cutter.signal])),
    cut: () => cutter.abort(away()),
    mend: () => {
      cutter = new AbortController();
    },
  };
}
