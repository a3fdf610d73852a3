import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importGraph, packageOf, reachable, type Import } from './support/imports.ts';

const root = join(import.meta.dirname, '..');
const product = importGraph(root, ['src', 'webhook']);
const everything = importGraph(root, ['src', 'webhook', 'test']);

/** The files that a process starts with, and that therefore know everybody. */
const ENTRIES = [...product.keys()].filter((file) => /^src\/(local\/(.*\/)?)?main\.ts$/.test(file));
const ASSEMBLY = [
  ...ENTRIES,
  ...[...product.keys()].filter((file) => file.startsWith('src/process/')),
  ...['src/cli.ts', 'src/controller/command.ts'],
];

/** What every controller may know: what its writes are made of, and how turns are taken. */
const CONTROLLER = [
  ...['src/plan/', 'src/reconcile/', 'src/controller/port.ts'],
  ...['src/controller/metrics.ts', 'src/controller/dedupe-warnings.ts'],
];

/**
 * Folder → the folders and files that its files may import; what is not listed is forbidden. A folder may always import itself and the leaves.
 * Types count like values: what a file knows of is what its reader has to know too.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/plan/': [],
  'src/annotation/': [],
  'src/reconcile/': [],
  'src/certificate/': [],
  'src/node/': ['src/plan/', 'src/annotation/'],
  'src/route/': ['src/plan/', 'src/annotation/', 'src/node/'],
  'src/clb/': ['src/plan/', 'src/annotation/', 'src/node/'],
  'src/policy/': [
    ...['src/plan/', 'src/annotation/', 'src/node/', 'src/route/', 'src/clb/'],
    ...[
      'src/inventory/facts.ts',
      'src/inventory/owner-index.ts',
      'src/inventory/service-conditions.ts',
      'src/inventory/reuse.ts',
    ],
  ],
  'src/inventory/': ['src/plan/', 'src/annotation/', 'src/node/', 'src/route/', 'src/clb/'],
  'src/alibaba/': ['src/plan/', 'src/clb/', 'src/route/', 'src/node/', 'src/inventory/port.ts'],
  'src/kubernetes/': [
    ...['src/annotation/', 'src/node/addresses.ts', 'src/node/instance-condition.ts'],
    ...['src/clb/model/service-size.ts', 'src/clb/model/service-status.ts'],
    ...['src/controller/port.ts', 'src/policy/report.ts'],
    ...['facts', 'kept-status', 'owner-index', 'service-conditions', 'reuse'].map((name) => `src/inventory/${name}.ts`),
  ],
  'src/controller/': [
    ...['src/node/', 'src/route/', 'src/inventory/service-conditions.ts', 'src/inventory/reuse.ts'],
    'src/policy/report.ts',
  ],
  'src/controller/service/': [
    ...CONTROLLER,
    ...['src/annotation/', 'src/node/', 'src/clb/', 'src/policy/', 'src/inventory/', 'src/rules/'],
  ],
  'src/controller/node/': [...CONTROLLER, 'src/annotation/', 'src/node/'],
  'src/controller/route/': [...CONTROLLER, 'src/node/', 'src/route/', 'src/controller/node/'],
  'src/controller/inventory/': [...CONTROLLER, 'src/clb/', 'src/inventory/'],
  'src/controller/policy/': [...CONTROLLER, 'src/annotation/', 'src/policy/', 'src/inventory/', 'src/rules/'],
  'src/controller/certificate/': [...CONTROLLER, 'src/certificate/'],
  'src/rules/': [
    'src/plan/',
    'src/annotation/',
    'src/node/',
    'src/route/',
    'src/clb/',
    'src/policy/',
    'src/inventory/',
  ],
  'webhook/': ['src/plan/', 'src/annotation/', 'src/policy/', 'src/inventory/', 'src/kubernetes/', 'src/rules/'],
  'src/completion/': [],
  'src/explain/': ['src/annotation/', 'src/policy/', 'src/lint/', 'src/rules/'],
  'src/lint/': ['src/annotation/', 'src/policy/', 'src/inventory/', 'src/rules/', 'src/lint/cluster/'],
  'src/lint/cluster/': ['src/kubernetes/'],
  'src/policy-test/': [...['src/annotation/', 'src/policy/', 'src/inventory/', 'src/lint/', 'src/rules/']],
  'src/plan-command/': [
    ...['src/plan/', 'src/annotation/', 'src/node/', 'src/route/', 'src/clb/', 'src/inventory/', 'src/controller/'],
    ...['src/policy/', 'src/lint/', 'src/kubernetes/', 'src/alibaba/', 'src/rules/', 'src/process/reach-cloud.ts'],
  ],
  'src/local/simulator/': [],
  'src/local/': ['src/local/simulator/', 'src/kubernetes/', 'src/annotation/', 'src/certificate/'],
};

/** Definitions of custom resources are to their readers what `src/base/objects.ts` is for Kubernetes' own. */
const isLeaf = (file: string): boolean =>
  /^src\/((base\/)?[^/]+|(inventory|policy)\/resource|inventory\/binding)\.ts$/.test(file) && !ASSEMBLY.includes(file);

/** Package → where it may be loaded; its types may be used everywhere. */
const CONFINED: Readonly<Record<string, RegExp>> = {
  '@alicloud/': /^src\/alibaba\//,
  '@kubernetes/client-node': /^src\/kubernetes\//,
  '@peculiar/x509': /^src\/certificate\//,
  commander: /^src\/(main|cli)\.ts$|\/(command|main)\.ts$/,
  fastify: /^webhook\/|^src\/base\/probes\.ts$|^src\/local\/simulator\//,
  undici: /^src\/(kubernetes|alibaba|local)\//,
};

const folderOf = (file: string): string | undefined =>
  Object.keys(MAY_IMPORT)
    .filter((folder) => file.startsWith(folder))
    .sort((left, right) => right.length - left.length)[0];

const isOurs = ({ target }: Import): boolean => /^(src|webhook|test)\//.test(target);

/** `file → target` for every import of these files that `isForbidden` says is one. */
const offences = (files: readonly string[], isForbidden: (item: Import, file: string) => boolean): readonly string[] =>
  files.flatMap((file) =>
    (product.get(file) ?? []).filter((item) => isForbidden(item, file)).map(({ target }) => `${file} → ${target}`),
  );

const filesOf = (folder: string): readonly string[] => [...product.keys()].filter((file) => folderOf(file) === folder);

describe('import directions', () => {
  for (const [folder, allowed] of Object.entries(MAY_IMPORT)) {
    it(`${folder} knows ${allowed.join(', ') || 'only itself'} and the leaves`, () => {
      const found = offences(
        filesOf(folder).filter((file) => !ASSEMBLY.includes(file) && !isLeaf(file)),
        (item) =>
          isOurs(item) &&
          folderOf(item.target) !== folder &&
          !isLeaf(item.target) &&
          !allowed.some((prefix) => item.target.startsWith(prefix)),
      );
      assert.deepEqual(found, []);
    });
  }

  it('every file stands in a folder that the table knows', () => {
    const strays = [...product.keys()].filter((file) => folderOf(file) === undefined && !isLeaf(file));
    assert.deepEqual(
      strays.filter((file) => !ASSEMBLY.includes(file)),
      [],
    );
  });

  it('leaves know only leaves', () => {
    const found = offences([...product.keys()].filter(isLeaf), (item) => isOurs(item) && !isLeaf(item.target));
    assert.deepEqual(found, []);
  });

  it('adapters know nouns and ports of a slice, never its stages', () => {
    const stage =
      /^src\/(clb\/(model\/action|desired\/|observe\/|diff\/|guards\/|apply\/)|(node|route)\/(desired|observe|diff|policy|action|apply)\b)/;
    const adapters = [...filesOf('src/alibaba/'), ...filesOf('src/kubernetes/')];
    assert.deepEqual(
      offences(adapters, ({ target }) => stage.test(target)),
      [],
    );
  });

  it('the webhook is loaded only when its command is called', () => {
    const outside = [...product.keys()].filter((file) => file.startsWith('src/'));
    const found = offences(
      outside,
      ({ kind, target }, file) => target.startsWith('webhook/') && !(kind === 'lazy' && ASSEMBLY.includes(file)),
    );
    assert.deepEqual(found, []);
  });

  it('no file is reached by nobody', () => {
    const tests = [...everything.keys()].filter((file) => file.endsWith('.test.ts'));
    const SCRIPT = /^test\/(run|take-over|(benchmark|fuzz|mutants)\/run|support\/(commit-subjects|generate))\.ts$/;
    const scripts = [...everything.keys()].filter((file) => SCRIPT.test(file));
    const used = reachable(product, ENTRIES, ['type', 'value', 'lazy']);
    const usedByTests = reachable(everything, [...tests, ...scripts], ['type', 'value', 'lazy']);
    const orphans = [...everything.keys()].filter((file) =>
      file.startsWith('test/') ? !usedByTests.has(file) && !file.startsWith('test/benchmark/') : !used.has(file),
    );
    assert.deepEqual(orphans, []);
  });

  it('no import leads round in a circle', () => {
    const circles = [...product.keys()].filter((file) =>
      (product.get(file) ?? []).some(
        ({ kind, target }) => kind !== 'lazy' && reachable(product, [target], ['value', 'type']).has(file),
      ),
    );
    assert.deepEqual(circles, []);
  });
});

describe('packages', () => {
  const dependencies = Object.keys(
    (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly dependencies: object }).dependencies,
  );

  for (const [name, where] of Object.entries(CONFINED)) {
    it(`${name} is loaded only where ${where.source} matches`, () => {
      const found = offences(
        [...product.keys()],
        ({ kind, target }, file) => kind !== 'type' && target.startsWith(name) && !where.test(file),
      );
      assert.deepEqual(found, []);
    });
  }

  it('the product loads nothing that is installed for development only', () => {
    const shipped = [...product.keys()].filter((file) => !file.startsWith('src/local/'));
    const found = offences(shipped, (item) => {
      const name = packageOf(item.target);
      return item.kind !== 'type' && !isOurs(item) && name !== 'node:' && !dependencies.includes(name);
    });
    assert.deepEqual(found, []);
  });

  it('the webhook process loads neither cloud SDK nor client-node, at no moment', () => {
    const loaded = reachable(product, ['webhook/command.ts'], ['value', 'lazy']);
    assert.ok(loaded.has('fastify'), 'webhook/command.ts no longer leads to the server');
    assert.deepEqual(
      [...loaded].filter((target) => /^@alicloud\/|^@kubernetes\/client-node|^src\/(alibaba|local)\//.test(target)),
      [],
    );
  });

  it('the entry loads nothing before it has checked the version of Node', () => {
    assert.deepEqual([...reachable(product, ['src/main.ts'], ['value'])], ['src/main.ts']);
  });

  it('the command line loads no command before it is called', () => {
    const loaded = reachable(product, ['src/cli.ts'], ['value']);
    assert.deepEqual(
      [...loaded].filter((target) =>
        /^(@alicloud\/|@kubernetes\/|fastify|undici|src\/(alibaba|kubernetes|controller|local)\/)/.test(target),
      ),
      [],
    );
  });

  it('linting loads nothing of Kubernetes unless it is to ask a cluster', () => {
    const loaded = reachable(product, ['src/lint/command.ts'], ['value']);
    assert.ok(loaded.has('src/lint/lint-context.ts'), 'src/lint/command.ts no longer leads to what asks a cluster');
    assert.deepEqual(
      [...loaded].filter((target) => /^(@kubernetes\/|undici|prom-client|src\/kubernetes\/)/.test(target)),
      [],
    );
  });

  it('the simulator shares no code with the controller', () => {
    const simulator = [...product.keys()].filter((file) => file.startsWith('src/local/simulator/'));
    const loaded = reachable(product, simulator, ['type', 'value', 'lazy']);
    assert.deepEqual(
      [...loaded].filter((target) => /^src\/(alibaba|clb|route|node|plan|annotation|controller)\//.test(target)),
      [],
    );
  });
});

describe('rules', () => {
  /** What a pure function has no use for. */
  const EFFECTS =
    /\b(Date\.now|new Date\(\)|Math\.random|performance\.|process\.|setTimeout|setInterval|fetch\(|await |async )/;

  it('are pure: no effect, no module of Node, no package loaded', () => {
    const loaded = reachable(product, filesOf('src/rules/'), ['value', 'lazy']);
    const foreign = [...loaded].filter((target) => !/^(src|webhook)\//.test(target) && target !== 'zod');
    assert.deepEqual(foreign, []);
    for (const file of filesOf('src/rules/')) assert.doesNotMatch(codeOf(file), EFFECTS, file);
  });
});

/** A file's text without comments. */
const codeOf = (file: string): string =>
  readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');

describe('the Service controller', () => {
  it('parses annotations in inputs.ts alone, once a reconcile', () => {
    const parsing = filesOf('src/controller/service/').filter((file) => codeOf(file).includes('parseAnnotations'));
    assert.deepEqual(parsing, ['src/controller/service/inputs.ts']);
  });
});

describe('shape', () => {
  const LONGEST = 300;
  const TOP_LEVEL = ['docs', 'kustomize', 'manifests', 'src', 'test', 'webhook'];
  const BUILT = ['dist', 'node_modules'];

  it(`no file has more than ${LONGEST} lines`, () => {
    const long = [...everything.keys()].filter(
      (file) => readFileSync(join(root, file), 'utf8').split('\n').length - 1 > LONGEST,
    );
    assert.deepEqual(long, []);
  });

  it('the top level has its fixed folders', () => {
    const folders = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !BUILT.includes(entry.name))
      .map(({ name }) => name);
    assert.deepEqual(folders.sort(), TOP_LEVEL);
  });

  it('no file is named after nothing', () => {
    const vague = [...everything.keys()].filter((file) => /\/(utils?|helpers?|common|misc|types)\.ts$/.test(file));
    assert.deepEqual(vague, []);
  });
});
