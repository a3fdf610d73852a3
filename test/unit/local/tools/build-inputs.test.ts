import assert from 'node:assert/strict';
import {
  buildFlags,
  fingerprint,
  goLine,
  kubernetesRelease,
  moduleFiles,
  moduleFolder,
} from '../../../../src/local/tools/build-inputs.ts';

const FILES = [
  { name: 'go.mod', text: 'module x\n\ngo 1.26.0\n' },
  { name: 'go.sum', text: 'h1:abc\n' },
];
const GO = 'go1.26.0 linux amd64';
const base = fingerprint('1.36', FILES, GO);

/** A changed recipe must lead to a new build, and an unchanged recipe must not. */
describe('the fingerprint of a build', () => {
  it('is the same for the same recipe', () => assert.equal(fingerprint('1.36', [...FILES], GO), base));

  const changes = {
    'go.mod': fingerprint('1.36', [{ name: 'go.mod', text: 'module y\n' }, ...FILES.slice(1)], GO),
    'go.sum': fingerprint('1.36', [...FILES.slice(0, 1), { name: 'go.sum', text: 'h1:abd\n' }], GO),
    'a Go file': fingerprint('1.36', [...FILES, { name: 'main.go', text: 'package main\n' }], GO),
    'the version of Go': fingerprint('1.36', FILES, 'go1.26.1 linux amd64'),
    'the platform': fingerprint('1.36', FILES, 'go1.26.0 darwin arm64'),
    'the build commands of another folder': fingerprint('1.35', FILES, GO),
  };
  for (const [what, changed] of Object.entries(changes)) {
    it(`changes with ${what}`, () => assert.notEqual(changed, base));
  }

  it('covers go.mod, go.sum and the Go files of a module', () => {
    const names = moduleFiles(moduleFolder('1.36', 'kubernetes')).map(({ name }) => name);
    assert.deepEqual(names, ['cert-manager/main.go', 'go.mod', 'go.sum']);
  });
});

describe('a parsed go.mod', () => {
  it('has the required Kubernetes release, in a block or on a separate line', () => {
    assert.equal(kubernetesRelease('require (\n\tk8s.io/kubernetes v1.36.3\n)'), '1.36.3');
    assert.equal(kubernetesRelease('require k8s.io/kubernetes v1.34.1'), '1.34.1');
    const kube = moduleFiles(moduleFolder('1.36', 'kubernetes')).find(({ name }) => name === 'go.mod');
    assert.match(kubernetesRelease(kube?.text ?? '') ?? '', /^1\.36\.\d+$/);
  });

  it('has the required Go release', () => assert.equal(goLine('module x\n\ngo 1.26.0\n'), '1.26.0'));
});

describe('the flags of a build', () => {
  it('stamp the required version of Kubernetes into its programs', () => {
    const flags = buildFlags('require k8s.io/kubernetes v1.36.3').join(' ');
    assert.match(flags, /-ldflags .*-X k8s\.io\/component-base\/version\.gitVersion=v1\.36\.3/);
    assert.match(flags, /-X k8s\.io\/client-go\/pkg\/version\.gitMinor=36/);
  });

  it('only strip the programs of a module without Kubernetes', () =>
    assert.deepEqual(buildFlags('module x'), ['-gcflags', 'all=-dwarf=false', '-ldflags', '-s -w']));
});
