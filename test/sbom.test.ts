import assert from 'node:assert/strict';
import { lockfile, sbomOf, type Lock } from './support/sbom.ts';

const { name, packages } = lockfile();
const sbom = sbomOf(name, packages);
const MODULES = 'node_modules/';

/** Scanners find vulnerable packages by the bill of materials, which must equal the image. */
describe('the software bill of materials of the image', () => {
  it('has exactly the production packages of the lockfile', () => {
    const kept = Object.entries(packages).filter(
      ([folder, { dev, optional, devOptional }]) =>
        folder !== '' && dev === undefined && optional === undefined && devOptional === undefined,
    );
    const expected = new Set(
      kept.map(([folder, { version }]) => `${folder.slice(folder.lastIndexOf(MODULES) + MODULES.length)}@${version}`),
    );
    const listed = sbom.components.map((each) => `${each.name}@${each.version}`);
    assert.deepEqual(listed.toSorted(), [...expected].toSorted());
  });

  it('has the checksum of each package', () => {
    for (const { name: library, hashes = [] } of sbom.components) {
      assert.match(`${hashes[0]?.alg} ${hashes[0]?.content}`, /^SHA-512 [0-9a-f]{128}$/, library);
    }
  });

  it('has the dependencies of each package, and names no missing package', () => {
    const known = new Set([sbom.metadata.component, ...sbom.components].map((each) => each['bom-ref']));
    assert.deepEqual(sbom.dependencies.map(({ ref }) => ref).toSorted(), [...known].toSorted());
    const required = sbom.dependencies.flatMap(({ dependsOn }) => dependsOn);
    assert.deepEqual(
      required.filter((ref) => !known.has(ref)),
      [],
    );
    const direct = sbom.dependencies.find(({ ref }) => ref === sbom.metadata.component['bom-ref'])?.dependsOn;
    assert.equal(direct?.length, Object.keys(packages['']?.dependencies ?? {}).length);
  });

  it('names the version that Node loads if the lockfile has two versions of a dependency', () => {
    const lock: Lock = {
      '': { version: '1.0.0', dependencies: { a: '1', b: '1' } },
      'node_modules/a': { version: '1.0.0', license: 'MIT', dependencies: { b: '2' } },
      'node_modules/a/node_modules/b': {
        version: '2.0.0',
        dependencies: { c: '1' },
        peerDependencies: { absent: '1' },
      },
      'node_modules/b': { version: '1.0.0' },
      'node_modules/c': { version: '1.0.0', integrity: 'sha512-q80=' },
      'node_modules/d': { version: '1.0.0', dev: true },
    };
    const { components, dependencies } = sbomOf('main', lock);
    assert.deepEqual(dependencies, [
      { ref: 'pkg:npm/a@1.0.0', dependsOn: ['pkg:npm/b@2.0.0'] },
      { ref: 'pkg:npm/b@1.0.0', dependsOn: [] },
      { ref: 'pkg:npm/b@2.0.0', dependsOn: ['pkg:npm/c@1.0.0'] },
      { ref: 'pkg:npm/c@1.0.0', dependsOn: [] },
      { ref: 'pkg:npm/main@1.0.0', dependsOn: ['pkg:npm/a@1.0.0', 'pkg:npm/b@1.0.0'] },
    ]);
    assert.deepEqual(components[0]?.licenses, [{ expression: 'MIT' }]);
    assert.deepEqual(components[3]?.hashes, [{ alg: 'SHA-512', content: 'abcd' }]);
  });
});
