import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importGraph, packageOf, reachable } from '../../support/imports.ts';

const FILES = {
  'src/a/one.ts': `
    import type { Two } from '../two.ts';
    import { value } from './three.ts';
    import fastify, { type Options } from 'fastify';
    export type { Four } from '../four.ts';
    export * from '../five.ts';
    // import '../comment.ts';
    const lazy = await import('../six.ts');
    type Seven = import('../seven.ts').Seven;
    const child = new URL('three.ts', import.meta.url);
    const text = "import '../text.ts'";
  `,
  'src/a/three.ts': `import { five } from '../five.ts';`,
  'src/five.ts': `import { join } from 'node:path';`,
};

/** The architecture tests rely on this graph, so a missed import would hide a violation. */
describe('the import graph', () => {
  let root = '';
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'portcullis-imports-'));
    mkdirSync(join(root, 'src/a'), { recursive: true });
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text);
  });
  after(() => rmSync(root, { recursive: true }));

  it('distinguishes types, values and lazy imports, and ignores text', () => {
    assert.deepEqual(importGraph(root, ['src']).get('src/a/one.ts'), [
      { kind: 'type', target: 'src/two.ts' },
      { kind: 'value', target: 'src/a/three.ts' },
      { kind: 'value', target: 'fastify' },
      { kind: 'type', target: 'src/four.ts' },
      { kind: 'value', target: 'src/five.ts' },
      { kind: 'lazy', target: 'src/six.ts' },
      { kind: 'type', target: 'src/seven.ts' },
      { kind: 'lazy', target: 'src/a/three.ts' },
    ]);
  });

  it('follows only the requested kinds', () => {
    const loaded = reachable(importGraph(root, ['src']), ['src/a/one.ts'], ['value']);
    assert.deepEqual([...loaded], ['src/a/one.ts', 'src/a/three.ts', 'fastify', 'src/five.ts', 'node:path']);
  });
});

describe('the package of a specifier', () => {
  const cases = {
    fastify: 'fastify',
    '@scope/name/deep/file.js': '@scope/name',
    'pino/file': 'pino',
    'node:fs/promises': 'node:',
  };
  for (const [specifier, name] of Object.entries(cases)) {
    it(`of ${specifier} is ${name}`, () => assert.equal(packageOf(specifier), name));
  }
});
