import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock, type Clock } from '../../base/clock.ts';
import { messageOf, PortcullisError } from '../../base/errors.ts';
import type { ProgressReporter } from '../progress.ts';
import { buildPrograms, gather, type Build } from './build.ts';
import {
  DEFAULT_KUBERNETES,
  isOlder,
  toolOf,
  versionIn,
  type Material,
  type Program,
  type ToolName,
  type Tools,
  type Version,
} from './catalogue.ts';
import { expectedSeconds, readDurations, recorded, writeDurations } from './build-durations.ts';
import { checkGo, goVersion } from './go-command.ts';
import { run } from '../external-command.ts';
import { withLock } from '../file-lock.ts';
import { fingerprint, goLine, moduleFiles, moduleFolder, moduleName } from './build-inputs.ts';

/** The inputs of `obtainTools`. `env` has the variables that select tools, such as `PORTCULLIS_TOOLS` and `KUBERNETES`. */
export interface ObtainOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly progress: ProgressReporter;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/** The tools that the folder `KUBEBUILDER_ASSETS` contains by the convention of Kubebuilder. */
const KUBEBUILDER_TOOLS: readonly ToolName[] = ['etcd', 'kube-apiserver', 'kubectl'];

/** Returns the paths of the named tools, from the user's folders or from the cache. Builds the missing tools. */
export async function obtainTools<Name extends ToolName>(
  names: readonly Name[],
  options: ObtainOptions,
): Promise<Tools<Name>> {
  checkFolders(options.env);
  const userTools = new Map<ToolName, string>();
  for (const name of names) {
    const path = userToolPath(name, options.env);
    if (path !== undefined) userTools.set(name, path);
  }
  await Promise.all([...userTools].map(([name, path]) => checkVersion(name, path, options)));
  const remainingNames = names.filter((name) => !userTools.has(name));
  const built = remainingNames.length === 0 ? new Map<ToolName, string>() : await cachedTools(remainingNames, options);
  return Object.fromEntries(names.map((name) => [name, userTools.get(name) ?? built.get(name)])) as Tools<Name>;
}

/** Throws if a variable names a missing folder. Without this check, a misspelled folder would start builds that the user does not want. */
function checkFolders(env: ObtainOptions['env']): void {
  for (const variable of ['PORTCULLIS_TOOLS', 'KUBEBUILDER_ASSETS']) {
    const folder = env[variable];
    if (folder === undefined || folder === '') continue;
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) continue;
    throw new PortcullisError(
      'InvalidConfiguration',
      `${variable} is ${folder}, which is not a folder: correct the variable, or unset the variable to build the tools`,
    );
  }
}

function userToolPath(name: ToolName, env: ObtainOptions['env']): string | undefined {
  const folders = [env['PORTCULLIS_TOOLS'], KUBEBUILDER_TOOLS.includes(name) ? env['KUBEBUILDER_ASSETS'] : undefined];
  return folders
    .filter((folder) => folder !== undefined && folder !== '')
    .map((folder) => join(folder ?? '', name))
    .find((path) => existsSync(path));
}

async function checkVersion(name: ToolName, path: string, options: ObtainOptions): Promise<void> {
  const tool = toolOf(name);
  if (tool.kind !== 'program') return;
  const version = versionIn(await printedVersion(tool, path, options));
  const oldest = tool.oldest.join('.');
  if (version === undefined || isOlder(version, tool.oldest)) {
    const found = version === undefined ? 'of an unknown version' : version.join('.');
    throw new PortcullisError(
      'InvalidConfiguration',
      `${path} is ${found}, and the sandbox requires ${name} ${oldest} or newer: replace the file, or unset PORTCULLIS_TOOLS and KUBEBUILDER_ASSETS to build the tool`,
    );
  }
}

async function printedVersion(tool: Program, path: string, { env, signal }: ObtainOptions): Promise<string> {
  try {
    return await run(path, tool.versionArguments, { env, signal });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new PortcullisError('InvalidConfiguration', `failed to run ${path}: ${messageOf(cause)}`, { cause });
  }
}

/** Returns the folder of built tools. The folder is outside the repository, so that all clones share the tools and `git clean` keeps them. */
export function cacheFolder(env: ObtainOptions['env']): string {
  const base = env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'portcullis', 'tools');
}

interface Planned {
  readonly name: ToolName;
  readonly source: string;
  readonly target: string;
}

interface PlannedBuild<Tool extends Program | Material> extends Planned, Build<Tool> {}

/** Returns the paths of the named tools in the cache, after building the missing tools. */
async function cachedTools(names: readonly ToolName[], options: ObtainOptions): Promise<Map<ToolName, string>> {
  const go = await goVersion(requiredGo(names, options.env), options);
  const plan = planBuilds(names, go, options.env);
  const missing = plan.filter(({ target }) => !existsSync(target));
  const programs = missing.flatMap((item) => {
    const tool = toolOf(item.name);
    return tool.kind === 'program' ? [{ ...item, tool }] : [];
  });
  for (const [source, builds] of Map.groupBy(programs, (item) => item.source)) {
    checkGo(go, goLine(goModOf(source)));
    await buildTogether(source, builds, options);
  }
  for (const item of missing) {
    const tool = toolOf(item.name);
    if (tool.kind === 'material') await gatherOne({ ...item, tool }, options);
  }
  return new Map(plan.map(({ name, target }) => [name, target]));
}

const goModOf = (source: string): string => moduleFiles(source).find(({ name }) => name === 'go.mod')?.text ?? '';

const kubernetesIn = (env: ObtainOptions['env']): string => env['KUBERNETES'] ?? DEFAULT_KUBERNETES;

/** Returns the newest version of Go that a module of the named tools requires. */
function requiredGo(names: readonly ToolName[], env: ObtainOptions['env']): string {
  const sources = new Set(names.map((name) => moduleFolder(kubernetesIn(env), toolOf(name).module)));
  const lines = [...sources].map((source) => goLine(goModOf(source)));
  return lines.reduce((newest, line) => (isOlder(numbersOf(newest), numbersOf(line)) ? line : newest));
}

const numbersOf = (line: string): Version => versionIn(line) ?? [0, 0, 0];

/** Returns the source and target of each tool. `go` is the version and platform of the installed Go, which determine the target. */
export function planBuilds(names: readonly ToolName[], go: string, env: ObtainOptions['env']): readonly Planned[] {
  const kubernetes = kubernetesIn(env);
  const folders = new Map<string, string>();
  return names.map((name) => {
    const { module } = toolOf(name);
    const [source, folder] = [moduleFolder(kubernetes, module), moduleName(kubernetes, module)];
    const hash = folders.get(folder) ?? fingerprint(folder, moduleFiles(source), go);
    folders.set(folder, hash);
    return { name, source, target: join(cacheFolder(env), `${folder}-${hash}`, name) };
  });
}

/** Calls `work` with the builds whose targets are missing, under the lock of their folder. */
async function exclusively<Tool extends Program | Material>(
  builds: readonly PlannedBuild<Tool>[],
  { progress, signal, clock = systemClock }: ObtainOptions,
  work: (missing: readonly PlannedBuild<Tool>[]) => Promise<void>,
): Promise<void> {
  const waiting = (pid: number): void => progress.line(`process ${pid} is already building tools; waiting for it`);
  await withLock(`${dirname(builds[0]?.target ?? '')}.lock`, { clock, signal, waiting }, async () => {
    const missing = builds.filter(({ target }) => !existsSync(target));
    if (missing.length > 0) await work(missing);
  });
}

/** The maximum number of tool names in the title of a build. */
const MOST_NAMES = 3;

/** Builds the missing programs of a module with one `go build`. Prints the progress, and records the duration for later builds. */
async function buildTogether(
  source: string,
  builds: readonly PlannedBuild<Program>[],
  options: ObtainOptions,
): Promise<void> {
  const { progress, env, clock = systemClock } = options;
  await exclusively(builds, options, async (missing) => {
    const names = missing.map(({ name }) => name);
    const durations = await readDurations(cacheFolder(env));
    const started = clock.monotonic();
    if (names.length > MOST_NAMES) progress.line(`building once, into the cache: ${names.join(', ')}`);
    const title = `building ${names.length > MOST_NAMES ? `${names.length} tools` : names.join(', ')}`;
    const expectedMs = expectedSeconds(names, durations) * 1000;
    await progress.step(title, () => buildPrograms(source, missing, options), expectedMs);
    const seconds = (clock.monotonic() - started) / 1000;
    await writeDurations(cacheFolder(env), recorded(durations, names, seconds));
  });
}

async function gatherOne(item: PlannedBuild<Material>, options: ObtainOptions): Promise<void> {
  const kubectl = item.tool.how === 'kustomize' ? (await obtainTools(['kubectl'], options)).kubectl : '';
  await exclusively([item], options, () =>
    options.progress.step(`gathering ${item.name}`, () => gather(item.source, item, kubectl, options)),
  );
}
