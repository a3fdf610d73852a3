import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { identify } from '../../../src/local/process-identity.ts';
import { startControlPlane } from '../../support/control-plane.ts';

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

  it('runs at the same time as another control plane', async () => {
    await using first = await startControlPlane();
    await using second = await startControlPlane();
    await first.kubectl('create', 'namespace', 'only-here');
    assert.equal(await second.client.find('/api/v1/namespaces/only-here'), undefined);
  });
});
