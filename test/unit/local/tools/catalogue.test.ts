import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DEFAULT_KUBERNETES,
  TOOL_NAMES,
  isOlder,
  toolOf,
  versionIn,
  type Version,
} from '../../../../src/local/tools/catalogue.ts';
import { kubernetesRelease, moduleFolder } from '../../../../src/local/tools/build-inputs.ts';

/** A tool that is too old or of an unknown version would fail later with an unclear error. */
describe('the version', () => {
  const printed: Record<string, { readonly text: string; readonly version: Version | undefined }> = {
    'of etcd': { text: 'etcd Version: 3.6.8\nGit SHA: x\nGo Version: go1.26.8', version: [3, 6, 8] },
    'of Kubernetes': { text: 'Kubernetes v1.36.3\n', version: [1, 36, 3] },
    'of kwok': { text: 'kwok version v0.8.0 go1.26.8 (linux/amd64)', version: [0, 8, 0] },
    'of an unknown program': { text: '(devel)', version: undefined },
  };
  for (const [title, { text, version }] of Object.entries(printed)) {
    it(`is read from the output ${title}`, () => assert.deepEqual(versionIn(text), version));
  }

  const orders: Record<string, { readonly version: Version; readonly oldest: Version; readonly older: boolean }> = {
    'is not older if it is equal': { version: [1, 34, 0], oldest: [1, 34, 0], older: false },
    'is older with a smaller patch number': { version: [3, 5, 12], oldest: [3, 5, 13], older: true },
    'is older with a smaller minor number, for any patch number': {
      version: [1, 33, 99],
      oldest: [1, 34, 0],
      older: true,
    },
    'is not older with a greater major number, for any minor number': {
      version: [2, 0, 0],
      oldest: [1, 34, 0],
      older: false,
    },
    'is compared as numbers: 1.10 is not older than 1.9': { version: [1, 10, 0], oldest: [1, 9, 0], older: false },
  };
  for (const [title, { version, oldest, older }] of Object.entries(orders)) {
    it(title, () => assert.equal(isOlder(version, oldest), older));
  }
});

describe('the catalogue of tools', () => {
  for (const version of ['1.34', '1.35', '1.36']) {
    it(`has a module for each tool, and Kubernetes ${version} in go.mod`, () => {
      for (const name of TOOL_NAMES)
        assert.ok(existsSync(join(moduleFolder(version, toolOf(name).module), 'go.mod')), name);
      const goMod = readFileSync(join(moduleFolder(version, 'kubernetes'), 'go.mod'), 'utf8');
      assert.ok(kubernetesRelease(goMod)?.startsWith(`${version}.`));
    });
  }

  it('has one version of the Kubernetes libraries for all tools of the default version', () => {
    const goMod = readFileSync(join(moduleFolder(DEFAULT_KUBERNETES, 'kubernetes'), 'go.mod'), 'utf8');
    const release = kubernetesRelease(goMod)?.replace(/^1\./, '0.');
    const replaced = [...goMod.matchAll(/=> (k8s\.io\/(?!kube-openapi|utils)\S+) v(\S+)/g)];
    const libraries = replaced.map(([, path, version]) => [path, version]);
    assert.ok(libraries.length > 30);
    assert.deepEqual(
      libraries.filter(([, version]) => version !== release),
      [],
    );
  });

  it('rejects a Kubernetes version without modules, with the supported versions', () => {
    for (const version of ['1.20', '../1.36', 'latest']) {
      assert.throws(() => moduleFolder(version, 'kubernetes'), {
        reason: 'InvalidConfiguration',
        message: /choose one of .*1\.36/,
      });
    }
  });
});
