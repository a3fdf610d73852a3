import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silent } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/find-or-build-tools.ts';
import { INSTALLATIONS, installText, onDisk, REFRESH } from '../support/install-files.ts';
import { root } from '../support/manifests.ts';

/** Users without kustomize apply one file, which must equal the rendered overlay. */
describe('an installation in one file', function () {
  this.timeout(60_000);
  let kustomize = '';
  before(async () => {
    ({ kustomize } = await obtainTools(['kustomize'], { env: process.env, progress: silent }));
  });

  for (const overlay of INSTALLATIONS) {
    it(`is the rendered overlay ${overlay}; otherwise run ${REFRESH}`, async () => {
      assert.ok(
        onDisk(overlay) === (await installText(kustomize, overlay)),
        `manifests/install/${overlay}.yaml is stale`,
      );
    });
  }

  it('gets another account for the cert-manager injector from the documented sed command', () => {
    const page = readFileSync(join(root, 'docs/tasks/install.md'), 'utf8');
    const [command = ''] = /(?<=```shell\n)sed [^`]*cert-manager-cainjector[^`]*?(?= \| kubectl)/.exec(page) ?? [];
    const rendered = execFileSync('bash', ['-c', command], { cwd: join(root, 'kustomize'), encoding: 'utf8' });
    const binding = rendered
      .split('---\n')
      .find((text) => /kind: ClusterRoleBinding[^]*certificate-injector/.test(text));
    assert.match(binding ?? '', /name: tls-cert-manager-cainjector\n {2}namespace: security\n/);
    assert.doesNotMatch(rendered, /name: cert-manager-cainjector$|namespace: cert-manager$|image: portcullis:/m);
  });

  it('exists for these overlays only', () => {
    const files = readdirSync(join(root, 'manifests/install')).sort();
    assert.deepEqual(
      files,
      INSTALLATIONS.map((overlay) => `${overlay}.yaml`),
    );
  });
});
