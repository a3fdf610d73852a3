import assert from 'node:assert/strict';
import {
  fingerprint,
  goLine,
  kubernetesRelease,
  linkerFlags,
  moduleFiles,
  moduleFolder,
} from '../../../../src/local/tools/build-inputs.ts';
import { toolOf, type Program } from '../../../../src/local/tools/catalogue.ts';

const FILES = [
  { name: 'go.mod', text: 'module x\n\ngo 1.26.0\n' },
  { name: 'go.sum', text: 'h1:abc\n' },
];
const GO = 'go1.26.0 linux amd64';
const base = fingerprint('kube', FILES, GO);

/** A changed recipe must lead to a new build, and an unchanged one must not. */
describe('the fingerprint of a build', () => {
  it('is the same for the same recipe', () => assert.equal(fingerprint('kube', [...FILES], GO), base));

  const changes = {
    'go.mod': fingerprint('kube', [{ name: 'go.mod', text: 'module y\n' }, ...FILES.slice(1)], GO),
    'go.sum': fingerprint('kube', [...FILES.slice(0, 1), { name: 'go.sum', text: 'h1:abd\n' }], GO),
    'a Go file': fingerprint('kube', [...FILES, { name: 'main.go', text: 'package main\n' }], GO),
    'the version of Go': fingerprint('kube', FILES, 'go1.26.1 linux amd64'),
    'the platform': fingerprint('kube', FILES, 'go1.26.0 darwin arm64'),
    'the steps': fingerprint('kwok', FILES, GO),
  };
  for (const [what, changed] of Object.entries(changes)) {
    it(`changes with ${what}`, () => assert.notEqual(changed, base));
  }

  it('covers go.mod, go.sum and the Go files of a module', () => {
    const names = moduleFiles(moduleFolder('1.36', 'cert-manager')).map(({ name }) => name);
    assert.deepEqual(names, ['go.mod', 'go.sum', 'main.go']);
  });
});

describe('a parsed go.mod', () => {
  it('has the required Kubernetes release, in a block or on a separate line', () => {
    assert.equal(kubernetesRelease('require (\n\tk8s.io/kubernetes v1.36.3\n)'), '1.36.3');
    assert.equal(kubernetesRelease('require k8s.io/kubernetes v1.34.1'), '1.34.1');
    const kube = moduleFiles(moduleFolder('1.36', 'kube')).find(({ name }) => name === 'go.mod');
    assert.match(kubernetesRelease(kube?.text ?? ''), /^1\.36\.\d+$/);
  });

  it('has the required Go release', () => assert.equal(goLine('module x\n\ngo 1.26.0\n'), '1.26.0'));
});

describe('the linker flags', () => {
  it('stamp the version into programs that compare versions', () => {
    const flags = linkerFlags(toolOf('kubectl') as Program, '1.36.3');
    assert.match(flags, /-X k8s\.io\/component-base\/version\.gitVersion=v1\.36\.3/);
    assert.match(flags, /-X k8s\.io\/client-go\/pkg\/version\.gitMinor=36/);
  });

  it('only strip all other programs', () => assert.equal(linkerFlags(toolOf('etcd') as Program, '1.36.3'), '-s -w'));
});
