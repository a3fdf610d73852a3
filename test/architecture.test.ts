import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importGraph, packageOf, reachable, type Import } from './support/imports.ts';

const root = join(import.meta.dirname, '..');
const product = importGraph(root, ['src', 'webhook']);
const everything = importGraph(root, ['src', 'webhook', 'test']);

/** Entry files of processes, which may import all folders. */
const ENTRIES = [...product.keys()].filter((file) => /^src\/(local\/(.*\/)?)?main\.ts$/.test(file));
const ASSEMBLY = [
  ...ENTRIES,
  ...[...product.keys()].filter((file) => file.startsWith('src/process/')),
  ...['src/cli.ts', 'src/controller/command.ts'],
];

/** Folders that each controller may import. */
const CONTROLLER = [
  ...['src/plan/', 'src/reconcile/', 'src/controller/kubernetes-interface.ts'],
  ...['src/controller/metrics.ts', 'src/controller/warning-deduplication.ts'],
];

/** Files of the inventory that its readers may import. */
const INVENTORY = ['facts', 'load-balancers-by-owner', 'load-balancer-ready-condition', 'reuse-index'].map(
  (name) => `src/inventory/${name}.ts`,
);

/** Folders and files that each folder may import, in addition to itself and the leaves of `isLeaf`. Imports of types count too. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/plan/': [],
  'src/annotation/': [],
  'src/reconcile/': [],
  'src/certificate/': [],
  'src/node/': ['src/plan/', 'src/annotation/'],
  'src/route/': ['src/plan/', 'src/annotation/', 'src/node/'],
  'src/clb/': ['src/plan/', 'src/annotation/', 'src/node/'],
  'src/policy/': [...['src/plan/', 'src/annotation/', 'src/node/', 'src/route/', 'src/clb/'], ...INVENTORY],
  'src/inventory/': ['src/plan/', 'src/annotation/', 'src/node/', 'src/route/', 'src/clb/'],
  'src/alibaba/': ['src/plan/', 'src/clb/', 'src/route/', 'src/node/', 'src/inventory/cloud-list-api.ts'],
  'src/kubernetes/': [
    ...['src/annotation/', 'src/node/addresses.ts', 'src/node/instance-unknown-condition.ts'],
    ...['src/clb/model/service-size-limits.ts', 'src/clb/model/provisioning-evidence.ts'],
    ...['src/controller/kubernetes-interface.ts', 'src/policy/report.ts'],
    ...INVENTORY,
    'src/inventory/trimmed-service-status.ts',
  ],
  'src/controller/': [
    ...['src/node/', 'src/route/', 'src/inventory/load-balancer-ready-condition.ts', 'src/inventory/reuse-index.ts'],
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
  'src/controller/webhook-certificate/': [...CONTROLLER, 'src/certificate/'],
  'src/rules/': [
    ...['src/plan/', 'src/annotation/', 'src/node/', 'src/route/', 'src/clb/', 'src/policy/', 'src/inventory/'],
  ],
  'webhook/': ['src/plan/', 'src/annotation/', 'src/policy/', 'src/inventory/', 'src/kubernetes/', 'src/rules/'],
  'src/completion/': [],
  'src/explain/': ['src/annotation/', 'src/policy/', 'src/lint/', 'src/rules/'],
  'src/lint/': ['src/annotation/', 'src/policy/', 'src/inventory/', 'src/rules/', 'src/lint/cluster/'],
  'src/lint/cluster/': ['src/kubernetes/'],
  'src/status/': [
    ...['src/annotation/', 'src/certificate/certificate-secret.ts', 'src/clb/model/', 'src/inventory/', 'src/policy/'],
    ...['src/kubernetes/', 'src/rules/'],
  ],
  'src/policy-test/': [...['src/annotation/', 'src/policy/', 'src/inventory/', 'src/lint/', 'src/rules/']],
  'src/plan-command/': [
    ...['src/plan/', 'src/annotation/', 'src/node/', 'src/route/', 'src/clb/', 'src/inventory/', 'src/controller/'],
    ...['src/policy/', 'src/lint/', 'src/kubernetes/', 'src/alibaba/', 'src/rules/', 'src/process/cloud-connection.ts'],
  ],
  'src/graph/': ['src/clb/', 'src/rules/', 'src/plan-command/'],
  'src/local/simulator/': [],
  'src/local/': ['src/local/simulator/', 'src/kubernetes/', 'src/annotation/', 'src/certificate/'],
};

/** Returns whether every folder may import a file: files of `src/` itself and of `src/base/`, and definitions of custom resources. */
const isLeaf = (file: string): boolean =>
  /^src\/((base\/)?[^/]+|(inventory|policy)\/custom-resources|inventory\/binding)\.ts$/.test(file) &&
  !ASSEMBLY.includes(file);

/** Files that may load each package. All files may use its types. */
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

/** Returns `file → target` for each forbidden import of these files. */
const offences = (files: readonly string[], isForbidden: (item: Import, file: string) => boolean): readonly string[] =>
  files.flatMap((file) =>
    (product.get(file) ?? []).filter((item) => isForbidden(item, file)).map(({ target }) => `${file} → ${target}`),
  );

const filesOf = (folder: string): readonly string[] => [...product.keys()].filter((file) => folderOf(file) === folder);

/** Imports in one direction keep the webhook small and the stages testable: desired, observe, diff, guards and apply. */
describe('import directions', () => {
  for (const [folder, allowed] of Object.entries(MAY_IMPORT)) {
    it(`${folder} imports ${allowed.join(', ') || 'only itself'} and the leaves`, () => {
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

  it('every file is in a folder of the table', () => {
    const misplaced = [...product.keys()].filter((file) => folderOf(file) === undefined && !isLeaf(file));
    assert.deepEqual(
      misplaced.filter((file) => !ASSEMBLY.includes(file)),
      [],
    );
  });

  it('leaves import only leaves', () => {
    const found = offences([...product.keys()].filter(isLeaf), (item) => isOurs(item) && !isLeaf(item.target));
    assert.deepEqual(found, []);
  });

  it('src/alibaba and src/kubernetes import models and interfaces, never stages', () => {
    const stage =
      /^src\/(clb\/(model\/action|desired\/|observe\/|diff\/|guards\/|apply\/)|(node|route)\/(desired|observe|diff|policy|action|apply)\b)/;
    const adapters = [...filesOf('src/alibaba/'), ...filesOf('src/kubernetes/')];
    assert.deepEqual(
      offences(adapters, ({ target }) => stage.test(target)),
      [],
    );
  });

  it('src/ loads the webhook only lazily, from the command line', () => {
    const outside = [...product.keys()].filter((file) => file.startsWith('src/'));
    const found = offences(
      outside,
      ({ kind, target }, file) => target.startsWith('webhook/') && !(kind === 'lazy' && ASSEMBLY.includes(file)),
    );
    assert.deepEqual(found, []);
  });

  it('every file is imported, directly or indirectly, by an entry, a test or a script', () => {
    const tests = [...everything.keys()].filter((file) => file.endsWith('.test.ts'));
    const SCRIPT =
      /^test\/(run|take-over|(benchmark|fuzz|mutants|site)\/run|support\/(commit-subjects|generate|recording\/run|image\/update-lock))\.ts$/;
    const scripts = [...everything.keys()].filter((file) => SCRIPT.test(file));
    const used = reachable(product, ENTRIES, ['type', 'value', 'lazy']);
    const usedByTests = reachable(everything, [...tests, ...scripts], ['type', 'value', 'lazy']);
    const orphans = [...everything.keys()].filter((file) =>
      file.startsWith('test/') ? !usedByTests.has(file) && !file.startsWith('test/benchmark/') : !used.has(file),
    );
    assert.deepEqual(orphans, []);
  });

  it('no imports form a cycle', () => {
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

  it('the product loads no development dependency', () => {
    const shipped = [...product.keys()].filter((file) => !file.startsWith('src/local/'));
    const found = offences(shipped, (item) => {
      const name = packageOf(item.target);
      return item.kind !== 'type' && !isOurs(item) && name !== 'node:' && !dependencies.includes(name);
    });
    assert.deepEqual(found, []);
  });

  it('the webhook process never loads the cloud SDK or client-node', () => {
    const loaded = reachable(product, ['webhook/command.ts'], ['value', 'lazy']);
    assert.ok(loaded.has('fastify'), 'webhook/command.ts no longer leads to the server');
    assert.deepEqual(
      [...loaded].filter((target) => /^@alicloud\/|^@kubernetes\/client-node|^src\/(alibaba|local)\//.test(target)),
      [],
    );
  });

  it('the command line loads a command only when it is called', () => {
    const loaded = reachable(product, ['src/cli.ts'], ['value']);
    assert.deepEqual(
      [...loaded].filter((target) =>
        /^(@alicloud\/|@kubernetes\/|fastify|undici|src\/(alibaba|kubernetes|controller|local)\/)/.test(target),
      ),
      [],
    );
  });

  it('the command lint loads the Kubernetes client only for a cluster', () => {
    const loaded = reachable(product, ['src/lint/command.ts'], ['value']);
    assert.ok(loaded.has('src/lint/lint-inputs.ts'), 'src/lint/command.ts no longer leads to the reads of a cluster');
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
  /** Matches expressions with effects, which pure functions must not use. */
  const EFFECTS =
    /\b(Date\.now|new Date\(\)|Math\.random|performance\.|process\.|setTimeout|setInterval|fetch\(|await |async )/;

  it('are pure: without effects, Node modules and packages except zod', () => {
    const loaded = reachable(product, filesOf('src/rules/'), ['value', 'lazy']);
    const foreign = [...loaded].filter((target) => !/^(src|webhook)\//.test(target) && target !== 'zod');
    assert.deepEqual(foreign, []);
    for (const file of filesOf('src/rules/')) assert.doesNotMatch(codeOf(file), EFFECTS, file);
  });
});

/** Returns a file's text without comments. */
const codeOf = (file: string): string =>
  readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');

describe('the Service controller', () => {
  it('parses annotations only in inputs.ts, once in each reconcile', () => {
    const parsing = filesOf('src/controller/service/').filter((file) => codeOf(file).includes('parseAnnotations'));
    assert.deepEqual(parsing, ['src/controller/service/inputs.ts']);
  });
});

describe('the shape of the repository', () => {
  const LONGEST = 300;
  const TOP_LEVEL = ['charts', 'docs', 'kustomize', 'manifests', 'src', 'test', 'webhook'];
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

  it('no file has a generic name, such as utils or types', () => {
    const vague = [...everything.keys()].filter((file) => /\/(utils?|helpers?|common|misc|types)\.ts$/.test(file));
    assert.deepEqual(vague, []);
  });
});
