import assert from 'node:assert/strict';
import { join } from 'node:path';
import { installCertManagerKinds } from '../../src/local/up/cluster-components.ts';
import { silent } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/find-or-build-tools.ts';
import { borrowControlPlane } from '../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../support/control-plane.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chartFolder, helmOf } from '../support/helm.ts';
import { parseManifests, render, root, type Manifest } from '../support/manifests.ts';

const OVERLAY = join(root, 'kustomize/overlays/self-managed-cluster');
const isIssued = ({ apiVersion }: Manifest): boolean => apiVersion.startsWith('cert-manager.io/');

/** Users may install Portcullis before cert-manager. The installation must complete afterwards. */
describe('an installation before cert-manager', function () {
  this.timeout(120_000);
  let plane: TestControlPlane;
  let started: TestControlPlane | undefined;
  let objects: readonly Manifest[] = [];
  let kinds = '';
  let helm = '';

  before(async () => {
    const tools = await obtainTools(['kustomize', 'helm', 'cert-manager-crds.json'], {
      env: process.env,
      progress: silent,
    });
    helm = tools.helm;
    kinds = tools['cert-manager-crds.json'];
    objects = parseManifests(await render(tools.kustomize, OVERLAY));
    started = await borrowControlPlane();
    plane = started;
  });
  after(() => started?.[Symbol.asyncDispose]());

  /** Returns the missing objects, by kind and name. */
  const missing = async (expected: readonly Manifest[]): Promise<readonly string[]> => {
    const list = expected.map((object) => JSON.stringify(object)).join('\n---\n');
    const { stderr } = await plane.kubectlWith(list, 'get', '-o', 'name', '-f', '-');
    return stderr.split('\n').filter((line) => line !== '');
  };

  it('installs nothing with Helm, and names the missing kinds', async () => {
    using folder = temporaryFolder();
    const flags = ['--kubeconfig', plane.kubeconfig, '--namespace', 'portcullis-system', '--create-namespace'];
    const { code, stderr } = await helmOf(helm, folder.path)('install', 'portcullis', chartFolder, ...flags);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /no matches for kind "Certificate" in version "cert-manager\.io\/v1"\s+ensure CRDs are installed first/,
    );
    const created = objects.filter((object) => !isIssued(object) && object.kind !== 'Namespace');
    assert.equal((await missing(created)).length, created.length);
  });

  it('has all objects after the first apply, except those of missing kinds', async () => {
    const { code, stderr } = await plane.kubectlWith('', 'apply', '-k', OVERLAY);
    const named = [...stderr.matchAll(/no matches for kind "(\w+)" in version "cert-manager\.io\/v1"/g)];
    assert.equal(code, 1);
    assert.deepEqual([...new Set(named.map(([, kind]) => kind))].sort(), ['Certificate', 'Issuer']);
    assert.deepEqual(await missing(objects.filter((object) => !isIssued(object))), []);
  });

  it('is complete after a second apply when cert-manager exists', async () => {
    await installCertManagerKinds(plane.client, kinds, AbortSignal.timeout(30_000));
    await plane.kubectl('apply', '-k', OVERLAY);
    assert.deepEqual(await missing(objects), []);
  });
});
