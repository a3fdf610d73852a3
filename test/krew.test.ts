import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { VERSION } from '../src/version.ts';
import { root } from './support/manifests.ts';

interface Plugin {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly shortDescription: string;
    readonly platforms: readonly { readonly uri: string; readonly sha256: string; readonly bin: string }[];
  };
}

const { metadata, spec } = parse(readFileSync(join(root, 'manifests/krew/portcullis.yaml'), 'utf8')) as Plugin;
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly bin: Readonly<Record<string, string>>;
};

/** kubectl installs the plug-in by this manifest. */
describe('the manifest of the plug-in for krew', () => {
  it('has the name and the version of the program', () =>
    assert.deepEqual([metadata.name, spec.version], ['portcullis', `v${VERSION}`]));

  it('runs the file that the package installs', () => {
    const [platform] = spec.platforms;
    const path = bin['kubectl-portcullis'] ?? '';
    assert.equal(platform?.bin, path);
    assert.match(readFileSync(join(root, path), 'utf8'), /^#!\/usr\/bin\/env node\n/);
  });

  it('leaves address and checksum of the archive to the release', () =>
    assert.deepEqual(
      spec.platforms.map(({ uri, sha256 }) => [uri, sha256]),
      [['ARCHIVE_URL', 'ARCHIVE_SHA256']],
    ));

  it('has a description that krew lists in one line', () => assert.ok(spec.shortDescription.length <= 50));
});
