import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { silent } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/find-or-build-tools.ts';
import { installCertManagerKinds } from '../../src/local/up/cluster-components.ts';
import { VERSION } from '../../src/version.ts';
import { borrowControlPlane } from '../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../support/control-plane.ts';
import { temporaryFolder } from '../support/folder.ts';
import { helmOf, type Helm } from '../support/helm.ts';
import { parseManifests } from '../support/manifests.ts';
import { buildRelease, partsWithout } from '../support/release/release.ts';

const execute = promisify(execFile);
const ADDRESS = 'https://example.com/kubectl-portcullis.tar.gz';
const NAMESPACE = ['--namespace', 'portcullis-system'];

const INVALID = `apiVersion: v1
kind: Service
metadata:
  name: web
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type: nowhere
spec:
  type: LoadBalancer
  ports:
    - port: 80
`;

interface KrewManifest {
  readonly spec: {
    readonly version: string;
    readonly platforms: readonly [{ readonly uri: string; readonly sha256: string; readonly bin: string }];
  };
}

/** Returns a check that a failed command has printed a text. */
const printing =
  (pattern: RegExp) =>
  (error: Error): boolean => {
    assert.match('stdout' in error ? String(error.stdout) : error.message, pattern);
    return true;
  };

/** Users have the files of a release and no clone, so the files must be enough. The test omits site and image. */
describe('the files of a release', function () {
  this.timeout(600_000);
  const resources = new AsyncDisposableStack();
  let folder = '';

  before(async () => {
    const { path } = resources.use(temporaryFolder());
    const built = join(path, 'built/release');
    const input = { version: VERSION, notes: 'Notes.\n', pluginAddress: ADDRESS };
    await buildRelease(built, partsWithout('image,site'), input, () => undefined);
    folder = join(path, 'copy');
    cpSync(built, folder, { recursive: true });
  });
  after(() => resources.disposeAsync());

  const file = (name: string): string => join(folder, name);
  const check = (cwd: string) => execute('sha256sum', ['-c', 'SHA256SUMS'], { cwd });

  it('have the listed checksums, and all are listed', async () => {
    const names = globSync('*', { cwd: folder }).filter((name) => name !== 'SHA256SUMS');
    const { stdout } = await check(folder);
    assert.deepEqual(stdout.trim().split('\n').sort(), names.map((name) => `${name}: OK`).sort());
  });

  it('have another checksum after a change', async () => {
    const changed = `${folder}-changed`;
    cpSync(folder, changed, { recursive: true });
    writeFileSync(join(changed, 'release-notes.md'), 'Other notes.\n');
    await assert.rejects(check(changed), printing(/release-notes\.md: FAILED/));
  });

  it('have the plug-in of kubectl, which checks manifests', async () => {
    const { spec } = parse(readFileSync(file('kubectl-portcullis.yaml'), 'utf8')) as KrewManifest;
    const [{ uri, sha256, bin }] = spec.platforms;
    assert.deepEqual([spec.version, uri], [`v${VERSION}`, ADDRESS]);
    assert.ok(readFileSync(file('SHA256SUMS'), 'utf8').includes(`${sha256}  kubectl-portcullis.tar.gz\n`));
    const plugin = `${folder}-plugin`;
    mkdirSync(plugin);
    await execute('tar', ['-xzf', file('kubectl-portcullis.tar.gz'), '-C', plugin]);
    // The first line of the program finds Node on the PATH.
    const options = { cwd: plugin, env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` } };
    const { stdout } = await execute(join(plugin, bin), ['version'], options);
    assert.ok(stdout.includes(VERSION), stdout);
    writeFileSync(join(plugin, 'web.yaml'), INVALID);
    const denied = printing(/Unsupported value: "nowhere": supported values: "internet", "intranet"/);
    await assert.rejects(execute(join(plugin, bin), ['lint', 'web.yaml'], options), denied);
  });

  it('have the schemas as JSON', () => {
    const schemas = globSync('*.schema.json', { cwd: folder });
    assert.ok(schemas.includes('load-balancer-policy.schema.json'));
    for (const name of schemas) assert.ok('$schema' in (JSON.parse(readFileSync(file(name), 'utf8')) as object), name);
  });

  describe('on an API server', () => {
    let plane: TestControlPlane;
    let helm: Helm;
    before(async () => {
      const tools = await obtainTools(['helm', 'cert-manager-crds.json'], { env: process.env, progress: silent });
      plane = resources.use(await borrowControlPlane());
      helm = helmOf(tools.helm, dirname(folder), plane.kubeconfig);
      await installCertManagerKinds(plane.client, tools['cert-manager-crds.json'], AbortSignal.timeout(60_000));
      await plane.kubectl('create', 'namespace', 'portcullis-system');
    });

    for (const name of ['install-self-managed-cluster.yaml', 'install-default.yaml'])
      it(`install Portcullis by ${name} alone`, async () => {
        const flags = ['--server-side', '--force-conflicts', '--validate=strict', '-f', file(name)];
        const { code, stdout, stderr } = await plane.kubectlWith('', 'apply', ...flags);
        assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
        assert.equal(stdout.trim().split('\n').length, parseManifests(readFileSync(file(name), 'utf8')).length);
      });

    it('install the chart with Helm over that installation', async () => {
      const chart = file(`portcullis-${VERSION}.tgz`);
      assert.match((await helm('lint', chart, '--strict', ...NAMESPACE)).stdout, /0 chart\(s\) failed/);
      const flags = ['--take-ownership', '--force-conflicts', ...NAMESPACE];
      assert.match((await helm('install', 'portcullis', chart, ...flags)).stdout, /STATUS: deployed/);
      assert.match((await helm('list', ...NAMESPACE)).stdout, new RegExp(`deployed\\s+portcullis-${VERSION}\\s`));
    });
  });
});
