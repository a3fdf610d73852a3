import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { silent } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/obtain.ts';
import { INSTALLATIONS, installText, onDisk, REFRESH } from '../support/install-files.ts';
import { root } from '../support/manifests.ts';

describe('an installation in one file', function () {
  this.timeout(60_000);
  let kustomize = '';
  before(async () => {
    ({ kustomize } = await obtainTools(['kustomize'], { env: process.env, progress: silent }));
  });

  for (const overlay of INSTALLATIONS) {
    it(`is what the overlay ${overlay} comes to; else run ${REFRESH}`, async () => {
      assert.ok(
        onDisk(overlay) === (await installText(kustomize, overlay)),
        `manifests/install/${overlay}.yaml is stale`,
      );
    });
  }

  it('comes in no other file', () => {
    const files = readdirSync(join(root, 'manifests/install')).sort();
    assert.deepEqual(
      files,
      INSTALLATIONS.map((overlay) => `${overlay}.yaml`),
    );
  });
});
