import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './support/manifests.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

type Versions = Readonly<Record<string, string>>;
interface Manifest {
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly optionalDependencies: Versions;
}
interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: true;
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const { packages } = JSON.parse(read('package-lock.json')) as { readonly packages: Readonly<Record<string, Locked>> };
const { '': locked, ...installed } = packages;

/** Packages whose locked entry has something. */
const those = (has: (entry: Locked) => boolean): readonly string[] =>
  Object.keys(installed).filter((name) => has(installed[name] ?? {}));

describe('packages', () => {
  it('are asked for in exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const all = { ...dependencies, ...devDependencies, ...optionalDependencies };
    assert.deepEqual(
      Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)),
      [],
    );
  });

  it('are locked as they are asked for', () => {
    const { dependencies, devDependencies, optionalDependencies } = locked as unknown as Manifest;
    const { dependencies: a, devDependencies: b, optionalDependencies: c } = manifest;
    assert.deepEqual([dependencies, devDependencies, optionalDependencies], [a, b, c]);
  });

  it('are locked by their content, wherever they are downloaded from', () => {
    assert.deepEqual(
      those(({ integrity, resolved }) => integrity === undefined || resolved !== undefined),
      [],
    );
    assert.match(read('.npmrc'), /^omit-lockfile-registry-resolved=true$/m);
  });

  // That of the first fetches compilers for Node 10 and 12; that of the second saves the command that bundles a start of Node. Neither is run.
  it('run nothing when they are installed', () => {
    assert.deepEqual(
      those(({ hasInstallScript }) => hasInstallScript === true),
      ['node_modules/@alicloud/openapi-core', 'node_modules/esbuild'],
    );
    assert.match(read('.npmrc'), /^ignore-scripts=true$/m);
  });
});
