import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { identify } from '../../../src/local/process-identity.ts';
import { borrowControlPlane } from '../../support/borrowed-control-plane.ts';
import { canaryHook, untilRejected } from '../../support/canary.ts';
import { startControlPlane } from '../../support/control-plane.ts';

const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** Other suites need an API server that starts quickly, runs beside others, and leaves no process behind. */
describe('the control plane for tests', function () {
  this.timeout(120_000);

  it('starts, serves, restarts with its data, compacts on request, and leaves nothing behind', async () => {
    let folder: string;
    let pid: number;
    {
      await using plane = await startControlPlane();
      folder = dirname(plane.kubeconfig);
      await plane.kubectl('create', 'namespace', 'first');
      await plane.kubectl('--namespace=first', 'create', 'serviceaccount', 'tester');
      const tester = await plane.kubeconfigFor('first/tester');
      const whoami = await plane.kubectlWith('', 'auth', 'whoami', `--kubeconfig=${tester}`);
      assert.match(whoami.stdout, /system:serviceaccount:first:tester/, whoami.stderr);

      const before = (await plane.client.get('/api/v1/namespaces/first')) as { metadata: { resourceVersion: string } };
      await plane.kubectl('label', 'namespace', 'first', 'changed=yes');
      await plane.compact();

      const killed = plane.apiServerPid();
      await plane.restart();
      assert.equal(identify(killed), undefined);
      pid = plane.apiServerPid();
      const listed = `/api/v1/namespaces?resourceVersion=${before.metadata.resourceVersion}&resourceVersionMatch=Exact`;
      await assert.rejects(plane.client.get(listed), /410/);

      assert.match(await plane.kubectl('get', 'namespace', 'first', '--show-labels'), /changed=yes/);
      assert.match(await plane.auditLog(), /"namespaces"/);
    }
    assert.equal(identify(pid), undefined);
    assert.equal(existsSync(folder), false);
  });

  it('is used by one test file after another, each with the objects of a new control plane', async () => {
    const namespace = '/api/v1/namespaces/borrowed';
    let pid: number;
    {
      await using plane = await borrowControlPlane();
      pid = plane.apiServerPid();
      await plane.kubectl('create', 'namespace', 'borrowed');
      await plane.kubectl('label', 'namespace', 'default', 'changed=yes');
      await plane.client.create(HOOKS, {
        metadata: { name: 'denies' },
        webhooks: [canaryHook('a.denies.test', 'denied')],
      });
      await untilRejected(plane, 'denied', 'a.denies.test');
      await using other = await borrowControlPlane();
      assert.notEqual(other.apiServerPid(), pid, 'no two test files use one control plane at once');
    }
    await using plane = await borrowControlPlane();
    assert.equal(plane.apiServerPid(), pid);
    assert.equal(await plane.client.find(namespace), undefined);
    assert.doesNotMatch(await plane.kubectl('get', 'namespace', 'default', '--show-labels'), /changed=yes/);
    assert.ok(await plane.client.find('/api/v1/namespaces/default/services/kubernetes'));
    await plane.client.create(CONFIG_MAPS, { metadata: { name: 'denied' } });
    assert.doesNotMatch(await plane.auditLog(), /"create".*"borrowed"/);
  });

  it('runs at the same time as another control plane', async () => {
    await using first = await startControlPlane();
    await using second = await startControlPlane();
    await first.kubectl('create', 'namespace', 'only-here');
    assert.equal(await second.client.find('/api/v1/namespaces/only-here'), undefined);
  });
});
