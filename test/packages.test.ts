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

/** Returns the packages whose locked entry has a property. */
const those = (has: (entry: Locked) => boolean): readonly string[] =>
  Object.keys(installed).filter((name) => has(installed[name] ?? {}));

/** Inexact versions would let a build change without a commit. */
describe('packages', () => {
  it('are required in exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const all = { ...dependencies, ...devDependencies, ...optionalDependencies };
    assert.deepEqual(
      Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)),
      [],
    );
  });

  it('are locked in the required versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = locked as unknown as Manifest;
    const { dependencies: a, devDependencies: b, optionalDependencies: c } = manifest;
    assert.deepEqual([dependencies, devDependencies, optionalDependencies], [a, b, c]);
  });

  it('are locked by their content, independent of the registry', () => {
    assert.deepEqual(
      those(({ integrity, resolved }) => integrity === undefined || resolved !== undefined),
      [],
    );
    assert.match(read('.npmrc'), /^omit-lockfile-registry-resolved=true$/m);
  });

  // The scripts of these two packages are not needed: they only fetch old compilers or speed up a start.
  it('run no script on installation', () => {
    assert.deepEqual(
      those(({ hasInstallScript }) => hasInstallScript === true),
      ['node_modules/@alicloud/openapi-core', 'node_modules/esbuild'],
    );
    assert.match(read('.npmrc'), /^ignore-scripts=true$/m);
  });
});
