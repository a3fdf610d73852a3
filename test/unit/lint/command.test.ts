import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { manifestText } from '../../support/manifest-text.ts';
import { aTerminal } from '../../support/terminal.ts';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');
const GOOD = manifestText();
const BAD = manifestText({ annotations: { bandwidth: '"9000"' } });
const ADVICE = manifestText({ annotations: { 'zone-maps': 'a:b' } });

/** Pipelines use lint, so files, outputs and exit codes must be as documented. */
describe('portcullis lint', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  const at = (name: string): string => join(folder.path, name);
  beforeEach(() => {
    folder = temporaryFolder();
    const files = {
      'good.yaml': GOOD,
      'advice.yml': ADVICE,
      'notes.txt': 'a: [',
      'below/bad.json': BAD,
      'empty/notes.txt': '',
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), text);
    }
  });
  afterEach(() => folder[Symbol.dispose]());

  /** Runs lint. The prefix `./` of an argument stands for the folder of the test. */
  async function lint(...args: readonly string[]) {
    const terminal = aTerminal();
    const code = await terminal.run('lint', ...args.map((arg) => (arg.startsWith('./') ? at(arg.slice(2)) : arg)));
    const short = (text: string): string => text.replaceAll(`${folder.path}/`, '').replaceAll(folder.path, '.');
    return { code, out: short(terminal.out()), err: short(terminal.err()) };
  }

  const codes: Readonly<Record<string, readonly [args: readonly string[], code: number, err: RegExp]>> = {
    'nothing for a valid file': [['./good.yaml'], 0, /^1 Service and 0 Nodes in 1 file: 0 errors, 0 warnings\n$/],
    'a violation': [['./below/bad.json'], 1, /^would be denied: Service default\/web\n/],
    'advice, with exit code 0': [['./advice.yml'], 0, /0 errors, 1 warning\n$/],
    'advice as a failure with --strict': [['--strict', './advice.yml'], 1, /0 errors, 1 warning\n$/],
    'the files of a folder, without subfolders': [['./'], 0, / in 2 files:/],
    'all files below a folder': [['-R', './'], 1, / in 3 files:/],
    'a repeated file once': [['./good.yaml', './good.yaml', './'], 0, / in 2 files:/],
  };
  for (const [title, [args, code, err]] of Object.entries(codes)) {
    it(`reports ${title}`, async () => {
      const done = await lint(...args);
      assert.equal(done.code, code);
      assert.match(done.err, err);
    });
  }

  it('prints only findings to a pipe', async () => {
    const { out } = await lint('-R', './');
    assert.deepEqual(
      out.split('\n').map((line) => line.replace(/: Service .*/, '')),
      ['advice.yml:6:5: warning', 'below/bad.json:6:5: error', ''],
    );
  });

  it('highlights findings only on a terminal with colors', async () => {
    const terminal = aTerminal({ colors: true });
    await terminal.run('lint', at('below/bad.json'));
    assert.match(terminal.out(), /^\u001b\[1m\S+:6:5:\u001b\[22m \u001b\[31m\u001b\[1merror:/);
    assert.ok(!(await lint('./below/bad.json')).out.includes('\u001b'));
  });

  for (const output of ['json', 'sarif']) {
    it(`prints readable ${output}, with and without findings`, async () => {
      for (const file of ['./good.yaml', './below/bad.json']) {
        const { out } = await lint('-o', output, file);
        assert.equal(typeof JSON.parse(out), 'object');
      }
    });
  }

  const misuse: Readonly<Record<string, readonly [args: readonly string[], line: RegExp]>> = {
    'a missing argument': [[], /^error: missing required argument 'FILES'$/],
    'a missing file': [['./gone.yaml'], /^error: failed to read gone\.yaml: file or folder not found$/],
    'a folder without manifests': [['./empty'], /^error: empty contains no \.yaml, \.yml or \.json file: -R includes/],
    'standard input twice': [['-', '--facts', '-'], /^error: standard input \(-\) can be read only once$/],
    'a missing file of facts': [
      ['./good.yaml', '--facts', './gone.yaml'],
      /^error: failed to read gone\.yaml: file or folder not found/,
    ],
    'a folder as facts': [
      ['./good.yaml', '--facts', './below'],
      /^error: failed to read below: expected a file, found a folder$/,
    ],
    'a file without facts': [
      ['./good.yaml', '--facts', './good.yaml'],
      /^error: good\.yaml contains no ClassicLoadBalancer/,
    ],
    'an unreadable file of stored objects': [
      ['./good.yaml', '--against', './notes.txt'],
      /^error: notes\.txt:1:5: the preceding \{ or \[ is not closed/,
    ],
    'an unknown format': [['-o', 'xml', './good.yaml'], /Allowed choices are text, json, sarif, github, gitlab\./],
  };
  for (const [title, [args, line]] of Object.entries(misuse)) {
    it(`answers ${title} with a single line and exit code 2`, async () => {
      const { code, out, err } = await lint(...args);
      assert.deepEqual([code, out, err.split('\n').length], [2, '', 2]);
      assert.match(err.trimEnd(), line);
    });
  }

  const parts: Readonly<Record<string, readonly [args: readonly string[], err: RegExp]>> = {
    'a missing file': [['./gone.yaml'], /^error: failed to read gone\.yaml: file or folder not found\n/],
    'a folder without manifests': [['./empty'], /^error: empty contains no [^\n]*\n/],
    'several unreadable files': [
      ['./gone.yaml', './odd.yaml'],
      /^error: failed to read gone\.yaml: [^\n]*\nerror: odd\.yaml is not UTF-8 text: check that the file is a manifest\n/,
    ],
    'a file that is not YAML': [['./notes.txt'], /^error: not completely evaluated: notes\.txt\n/],
  };
  for (const [title, [args, err]] of Object.entries(parts)) {
    it(`reports the other files in spite of ${title}, with exit code 2`, async () => {
      writeFileSync(at('odd.yaml'), Buffer.from([0x89, 0x50, 0xff]));
      const done = await lint(...args, './below/bad.json', './good.yaml');
      assert.equal(done.code, 2);
      assert.match(done.out, /below\/bad\.json:6:5: error: Service default\/web/);
      assert.match(done.err, err);
      assert.match(done.err, /\nwould be denied: Service default\/web\n2 Services and 0 Nodes in /);
      const files = args.map((file) => file.slice(2));
      const json = JSON.parse((await lint('-o', 'json', ...args, './good.yaml')).out) as { readonly unread: unknown };
      assert.deepEqual(json.unread, files);
      const sarif = await lint('-o', 'sarif', ...args, './good.yaml');
      assert.match(sarif.out, /"executionSuccessful": false/);
    });
  }

  const bytes: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
    'UTF-16': [Buffer.from(`\uFEFF${GOOD}`, 'utf16le'), /is UTF-16 text: save the file as UTF-8/],
    'not text': [Buffer.from([0x89, 0x50, 0xff]), /is not UTF-8 text: check that the file is a manifest/],
  };
  for (const [title, [content, line]] of Object.entries(bytes)) {
    it(`reports that a file is ${title}`, async () => {
      writeFileSync(at('odd.yaml'), content);
      const { code, err } = await lint('./odd.yaml');
      assert.equal(code, 2);
      assert.match(err, line);
    });
  }

  it('reports that a file is too large', async () => {
    writeFileSync(at('large.yaml'), '');
    truncateSync(at('large.yaml'), 32 * 1_024 * 1_024 + 1);
    const { code, err } = await lint('./large.yaml');
    assert.deepEqual([code, err], [2, 'error: large.yaml has 33 MiB, more than the limit of 32 MiB: split the file\n']);
  });

  it('ignores circular and broken links', async () => {
    symlinkSync(folder.path, at('below/again'));
    symlinkSync(at('nowhere'), at('below/broken.yaml'));
    assert.match((await lint('-R', './')).err, / in 3 files:/);
  });

  it('reads standard input, as from kustomize build', () => {
    const { status, stdout } = spawnSync(process.execPath, [MAIN, 'lint', '-'], {
      encoding: 'utf8',
      input: `${GOOD}---\n${BAD}`,
    });
    assert.equal(status, 1);
    assert.match(stdout, /^<stdin>:\d+:5: error: Service default\/web: metadata\.annotations/);
  });

  it('reads facts and stored objects, in the requested namespace', async () => {
    writeFileSync(at('stored.yaml'), BAD);
    writeFileSync(
      at('facts.yaml'),
      'apiVersion: portcullis.io/v1alpha1\nkind: ClassicLoadBalancer\nmetadata: {name: lb-1}\n',
    );
    const { code, out } = await lint(
      '-n',
      'shop',
      '--against',
      './stored.yaml',
      '--facts',
      './facts.yaml',
      './below/bad.json',
    );
    assert.equal(code, 0);
    assert.match(out, /^below\/bad\.json:6:5: warning: Service shop\/web: /);
  });
});
