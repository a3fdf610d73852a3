import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../base/clock.ts';
import { messageOf, PortcullisError } from '../../base/errors.ts';
import type { ProgressReporter } from '../progress.ts';
import { build } from './build.ts';
import {
  TOOL_NAMES,
  isOlder,
  toolOf,
  versionIn,
  type GoModule,
  type Program,
  type ToolName,
  type Tools,
} from './catalogue.ts';
import { checkGo, goVersion } from './go.ts';
import { run } from '../command.ts';
import { withLock } from './lock.ts';
import { fingerprint, goLine, moduleFiles, moduleFolder, moduleName } from './build-inputs.ts';

/** The variables that select the tools, and the callbacks of a build. */
export interface ObtainOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly progress: ProgressReporter;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/** The version of Kubernetes in the sandbox, unless the variable `KUBERNETES` selects another version. */
export const DEFAULT_KUBERNETES = '1.36';

/** The tools that the folder `KUBEBUILDER_ASSETS` contains by the convention of Kubebuilder. */
const KUBEBUILDER_TOOLS: readonly ToolName[] = ['etcd', 'kube-apiserver', 'kubectl'];

/**
 * Returns the paths of the named tools, from the user's folders or from the cache. Builds a tool that is in neither. Throws if a folder or Go is
 * missing, if a tool is too old, or if a build fails.
 */
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
  const built = remainingNames.length === 0 ? new Map<ToolName, string>() : await fromCache(remainingNames, options);
  return Object.fromEntries(names.map((name) => [name, userTools.get(name) ?? built.get(name)])) as Tools<Name>;
}

/** Throws if a variable names a missing folder. Otherwise a misspelled folder would start builds that the user does not want. */
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

async function fromCache(names: readonly ToolName[], options: ObtainOptions): Promise<Map<ToolName, string>> {
  const go = await goVersion(options);
  const plan = planBuilds(names, go, options.env);
  const missing = TOOL_NAMES.flatMap(
    (name) => plan.find((item) => item.name === name && !existsSync(item.target)) ?? [],
  );
  for (const [index, item] of missing.entries()) {
    const goMod = moduleFiles(item.source).find(({ name }) => name === 'go.mod')?.text ?? '';
    checkGo(go, goLine(goMod));
    await buildOne(item, `${index + 1} of ${missing.length}`, options);
  }
  return new Map(plan.map(({ name, target }) => [name, target]));
}

/** Returns the source and target of each tool. `go` is the version and platform of the installed Go, which determine the target. */
export function planBuilds(names: readonly ToolName[], go: string, env: ObtainOptions['env']): readonly Planned[] {
  const kubernetes = env['KUBERNETES'] ?? DEFAULT_KUBERNETES;
  const folders = new Map<GoModule, string>();
  return names.map((name) => {
    const { module } = toolOf(name);
    const source = moduleFolder(kubernetes, module);
    const hash = folders.get(module) ?? fingerprint(module, moduleFiles(source), go);
    folders.set(module, hash);
    return {
      name,
      source,
      target: join(cacheFolder(env), `${moduleName(kubernetes, module).replace('/', '-')}-${hash}`, name),
    };
  });
}

async function buildOne(item: Planned, position: string, options: ObtainOptions): Promise<void> {
  const { progress, signal, clock = systemClock } = options;
  const tool = toolOf(item.name);
  const needsKustomize = tool.kind === 'material' && tool.how === 'kustomize';
  const kustomize = needsKustomize ? (await obtainTools(['kustomize'], options)).kustomize : '';
  const waiting = (pid: number): void =>
    progress.line(`process ${pid} is already building ${item.name}; waiting for it`);
  await withLock(`${item.target}.lock`, { clock, signal, waiting }, async () => {
    if (existsSync(item.target)) return;
    const verb = tool.kind === 'program' ? 'building' : 'gathering';
    await progress.step(`${verb} ${item.name} (${position})`, () =>
      build(tool, { source: item.source, target: item.target, kustomize }, options),
    );
  });
}
