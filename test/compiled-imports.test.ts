import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { importGraph } from './support/imports.ts';
import { root } from './support/manifests.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Compiler options of `make build`. */
const { options } = ts.convertCompilerOptionsFromJson(
  (ts.parseConfigFileTextToJson('tsconfig.json', read('tsconfig.json')).config as { compilerOptions: object })
    .compilerOptions,
  root,
);

/** Returns the compiled text of a single file. */
const built = (file: string): string =>
  ts.transpileModule(read(file), {
    fileName: file,
    compilerOptions: { ...options, noEmit: false, module: ts.ModuleKind.ESNext },
  }).outputText;

/** A compiled file that loads a TypeScript file would fail in the image. */
describe('the build', () => {
  const lazy = [...importGraph(root, ['src', 'webhook'])].filter(([, imports]) =>
    imports.some(({ kind, target }) => kind === 'lazy' && target.endsWith('.ts')),
  );

  // In a function with `using`, the compiler leaves the ending `.ts` of an import() unchanged.
  for (const [file] of lazy) {
    it(`${file} loads compiled files`, () => {
      const imports = [...built(file).matchAll(/import\(['"]([^'"]*)['"]\)/g)].map(([, target = '']) => target);
      assert.notEqual(imports.length, 0);
      assert.deepEqual(
        imports.filter((target) => target.endsWith('.ts')),
        [],
      );
    });
  }
});
