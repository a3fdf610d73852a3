import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { hasReason } from '../../../src/base/errors.ts';
import { openReader } from '../../../src/kubernetes/cluster-reader.ts';
import { objectKey, SERVICES } from '../../../src/base/kubernetes-objects.ts';
import { answer, fakeApiServer, status } from '../../support/http-api-server.ts';
import { temporaryFolder } from '../../support/folder.ts';

const signal = new AbortController().signal;
const service = (name: string): object => ({ metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1' } });

/** Each command reads the cluster once, through this reader. */
describe('the reader of a cluster', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder[Symbol.dispose]());

  const open = (environment: Readonly<Record<string, string>> = {}, kubeconfig?: string) =>
    openReader({
      environment: { HOME: folder.path, ...environment },
      clock: systemClock,
      component: 'portcullis-test',
      serviceAccountFolder: folder.path,
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
    });

  it('finds single objects, and lists page by page', async () => {
    await using server = await fakeApiServer(({ path, query }, response) => {
      if (path === '/api/v1/namespaces/shop/services/web') answer(response, 200, service('web'));
      else if (path !== '/api/v1/services') answer(response, 404, status(404, `${path} not found`, 'NotFound'));
      else if (query.get('continue') === null)
        answer(response, 200, { metadata: { resourceVersion: '1', continue: 'more' }, items: [service('a')] });
      else answer(response, 200, { metadata: { resourceVersion: '1' }, items: [service('b')] });
    });
    const config = {
      clusters: [{ name: 'c', cluster: { server: server.url } }],
      contexts: [{ name: 'x', context: { cluster: 'c', namespace: 'shop' } }],
      'current-context': 'x',
    };
    const path = join(folder.path, 'config');
    writeFileSync(path, JSON.stringify(config));
    await using reader = await open({}, path);
    assert.equal(reader.namespace, 'shop');
    assert.equal((await reader.find(SERVICES, objectKey('web', 'shop'), signal))?.metadata.name, 'web');
    assert.equal(await reader.find(SERVICES, objectKey('gone', 'shop'), signal), undefined);
    const listed = await reader.list(SERVICES, { fieldSelector: 'spec.type=LoadBalancer' }, signal);
    assert.deepEqual(
      listed.map(({ metadata }) => metadata.name),
      ['a', 'b'],
    );
    assert.deepEqual(
      new Set(server.seen.slice(2).map(({ query }) => query.get('fieldSelector'))),
      new Set(['spec.type=LoadBalancer']),
    );
  });

  it('uses the namespace of its pod, without a kubeconfig file', async () => {
    const files = { 'ca.crt': '', token: 'sesame', namespace: 'ci\n' };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
    await using reader = await open({ KUBERNETES_SERVICE_HOST: '192.0.2.1', KUBERNETES_SERVICE_PORT: '443' });
    assert.equal(reader.namespace, 'ci');
  });

  it('explains outside of a pod how to select a cluster if no kubeconfig file exists', () =>
    assert.rejects(open(), (error: Error) => {
      assert.match(error.message, /the address of the API server is unknown: .* set --kubeconfig$/);
      return hasReason(error, 'InvalidConfiguration');
    }));
});
