import { existsSync, globSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { SANDBOX_TOOLS, TOOL_NAMES, type ToolName } from '../../../src/local/tools/catalogue.ts';

/** A group of test files that runs in one mocha process. */
export interface Suite {
  readonly name: string;
  /** The paths of its files, relative to the repository. */
  readonly files: readonly string[];
  /** True if the suite starts processes. Every test is then printed when it ends. */
  readonly heavy: boolean;
  /** Tools that are built before the start, because a build takes minutes, which exceeds the time limit of a test. */
  readonly tools: readonly ToolName[];
  /** True if the suite compares the usage that all other suites recorded. */
  readonly runsLast: boolean;
  /** Time limit in minutes. */
  readonly limitMinutes: number;
}

interface SuiteEntry {
  readonly pattern: string;
  readonly heavy: boolean;
  readonly tools?: readonly ToolName[];
  /** True if the suite runs only by name. */
  readonly onRequest?: true;
  /** Set if each folder directly below runs as its own suite `suite/folder`, in parallel. The folders in the list take the longest, and start first. */
  readonly byFolder?: readonly string[];
  /** True if each file runs as its own suite `suite/file`, in parallel. */
  readonly byFile?: true;
  /** True if the suite compares the usage that all other suites recorded. It then runs last, and not by name. */
  readonly runsLast?: true;
  /** Time limit in minutes. Defaults to `LIMIT_MINUTES`. */
  readonly limitMinutes?: number;
}

const LIMIT_MINUTES = 20;

const API_SERVER: readonly ToolName[] = ['etcd', 'kube-apiserver', 'kubectl', 'kustomize', 'cert-manager-crds.json'];

/** The folders of the integration tests that take minutes. They start first, so that no processor is idle at the end. */
const LONGEST = ['webhook', 'controller', 'deploying', 'sandbox', 'kubernetes'];

/** Every suite. Suites start in this order when their tools are built: the longest first, so that none of them ends alone. */
export const SUITES: Readonly<Record<string, SuiteEntry>> = {
  manifests: { pattern: 'test/manifests/**/*.test.ts', heavy: true, tools: [...API_SERVER, 'helm'] },
  integration: { pattern: 'test/integration/**/*.test.ts', heavy: true, tools: TOOL_NAMES, byFolder: LONGEST },
  unit: { pattern: 'test/unit/**/*.test.ts', heavy: false },
  faults: { pattern: 'test/faults/**/*.test.ts', heavy: true },
  repository: { pattern: 'test/*.test.ts', heavy: false },
  contract: { pattern: 'test/contract/**/*.test.ts', heavy: false },
  fuzz: { pattern: 'test/fuzz/**/*.test.ts', heavy: false },
  golden: { pattern: 'test/golden/**/*.test.ts', heavy: false },
  grants: { pattern: 'test/grants/**/*.test.ts', heavy: true, tools: ['kustomize'], runsLast: true },
  // Needs prometheus and promtool on the PATH.
  monitoring: { pattern: 'test/monitoring/**/*.test.ts', heavy: true, tools: API_SERVER, onRequest: true },
  // Needs Debian's archive, which drops replaced versions, and user namespaces. Other suites test the parts that need neither.
  image: { pattern: 'test/image/**/*.test.ts', heavy: true, tools: SANDBOX_TOOLS, onRequest: true },
  soak: {
    pattern: 'test/soak/**/*.test.ts',
    heavy: true,
    tools: SANDBOX_TOOLS,
    onRequest: true,
    byFile: true,
    limitMinutes: 60,
  },
};

/**
 * Returns the suites of the arguments (suites, test files or folders), in running order. Without arguments, returns all suites except those on
 * request.
 */
export function selectSuites(root: string, selection: readonly string[]): readonly Suite[] {
  for (const name of selection) {
    if (Object.hasOwn(SUITES, name) && SUITES[name]?.runsLast === true)
      throw new Error(`"${name}" compares the usage of all suites, and cannot be run alone: run "make test"`);
  }
  const paths = selection.filter((item) => !Object.hasOwn(SUITES, item));
  const picked = paths.flatMap((path) => filesUnder(root, path));
  const named = Object.entries(SUITES)
    .filter(([name, { onRequest }]) => (selection.length === 0 ? onRequest !== true : selection.includes(name)))
    .flatMap(([name, entry]) => suitesOf(name, entry, globSync(entry.pattern, { cwd: root }).sort()));
  return [
    ...named,
    ...(picked.length === 0
      ? []
      : [{ name: 'selected', files: picked, heavy: true, tools: [], runsLast: false, limitMinutes: LIMIT_MINUTES }]),
  ];
}

/** Returns the suites of an entry: a suite for all files, or a suite for each folder or file. The longest folders come first. */
function suitesOf(name: string, entry: SuiteEntry, files: readonly string[]): readonly Suite[] {
  const { heavy, tools = [], runsLast = false, limitMinutes = LIMIT_MINUTES, byFolder, byFile = false } = entry;
  const suite = { heavy, tools, runsLast, limitMinutes };
  if (byFolder === undefined && !byFile) return [{ name, files, ...suite }];
  const parts = Object.groupBy(files, (file) => {
    const [part = ''] = relative(join('test', name), file).split(sep);
    return join(name, byFile ? part.replace(/\.test\.ts$/, '') : part);
  });
  const rank = (part: string): number => (byFolder?.indexOf(relative(name, part)) ?? -1) + 1 || Infinity;
  return Object.entries(parts)
    .map(([part, inIt = []]) => ({ name: part, files: inIt, ...suite }))
    .toSorted((left, right) => rank(left.name) - rank(right.name) || 0);
}

function filesUnder(root: string, path: string): readonly string[] {
  const pattern = path.endsWith('.test.ts') ? path : join(path, '**/*.test.ts');
  const files = existsSync(join(root, path)) ? globSync(pattern, { cwd: root }).sort() : [];
  if (files.length === 0) {
    const names = Object.keys(SUITES).join(', ');
    throw new Error(`"${path}" is no suite and no file or folder with tests: choose from ${names}, or name a path`);
  }
  return files.map((file) => relative(root, join(root, file)));
}
