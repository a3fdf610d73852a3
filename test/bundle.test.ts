import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './support/folder.ts';
import { root } from './support/manifests.ts';

/** The metadata of esbuild about written files. */
interface Metafile {
  readonly outputs: Readonly<Record<string, Output>>;
}
interface Output {
  readonly entryPoint?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: true }[];
}

function bundle(): Metafile['outputs'] {
  using folder = temporaryFolder();
  const metafile = join(folder.path, 'metafile.json');
  const flags = [`--outdir=${join(folder.path, 'dist')}`, `--metafile=${metafile}`];
  execFileSync('npm', ['run', '--silent', 'bundle', '--', ...flags], { cwd: root });
  return (JSON.parse(readFileSync(metafile, 'utf8')) as Metafile).outputs;
}

/** A bundle that loads too much would delay the start, and could load the cloud SDK into the webhook. */
describe('the bundle', function () {
  this.timeout(120_000);
  let outputs: Metafile['outputs'] = {};
  before(() => {
    outputs = bundle();
  });

  /** Returns the sources and packages that are loaded with a source. */
  function loadedWith(source: string): readonly string[] {
    const [first] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
    assert.ok(first !== undefined, `${source} is no file of its own`);
    const chunks = new Set([first]);
    const loaded = new Set<string>();
    for (const chunk of chunks) {
      const { inputs = {}, imports = [] } = outputs[chunk] ?? {};
      for (const input of Object.keys(inputs)) loaded.add(input);
      for (const { path, kind, external } of imports.filter((each) => each.kind === 'import-statement'))
        if (external === true) loaded.add(`${kind} of ${path}`);
        else chunks.add(path);
    }
    return [...loaded];
  }

  it('starts without loading a command', () => {
    const loaded = loadedWith('src/main.ts');
    assert.ok(loaded.includes('src/base/errors.ts'));
    assert.deepEqual(
      loaded.filter((each) => /^webhook\/|^src\/(?!base\/)[a-z]+\/|node_modules\/(?!commander\/)/.test(each)),
      [],
    );
  });

  it('contains neither the cloud SDK nor client-node for the webhook', () => {
    const loaded = [...loadedWith('webhook/command.ts'), ...loadedWith('webhook/main.ts')];
    assert.ok(loaded.includes('webhook/server/server.ts'));
    assert.deepEqual(
      loaded.filter((each) => /@alicloud|@kubernetes|^src\/(alibaba|local)\//.test(each)),
      [],
    );
  });

  // A CommonJS package in a file of its own would lose the names of its exports.
  it('has no package as a separate entry file', () => {
    const entries = Object.values(outputs).flatMap(({ entryPoint = [] }) => entryPoint);
    assert.deepEqual(
      entries.filter((each) => each.includes('node_modules/')),
      [],
    );
  });

  it('contains no file of the sandbox', () => {
    const all = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
    assert.deepEqual(
      all.filter((each) => each.startsWith('src/local/')),
      [],
    );
  });
});
