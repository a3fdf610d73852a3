import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PortcullisError } from '../../base/errors.ts';
import { repositoryRoot } from '../repository.ts';
import { TOOL_NAMES, toolOf, versionIn, type GoModule, type Material, type Program } from './catalogue.ts';

/** `local`: the Go that is installed, never one that the go command fetches by itself. */
export const GO_ENVIRONMENT = {
  CGO_ENABLED: '0',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-trimpath -buildvcs=false',
  GOWORK: 'off',
};

const VERSION_PACKAGES = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];

const controlPlanes = (): string => join(repositoryRoot(), 'src', 'local', 'control-plane');

/** The versions of Kubernetes that there are modules for. */
const versions = (): readonly string[] => readdirSync(controlPlanes()).filter((name) => /^\d+\.\d+$/.test(name));

/** What a module's files and what is built of them are called by: Kubernetes' own is one of each version, the others are of all. */
export const moduleName = (kubernetes: string, module: GoModule): string =>
  module === 'kube' ? `${kubernetes}/${module}` : module;

/** The folder of a module's `go.mod`. Throws `InvalidConfiguration` for a Kubernetes version that there are no modules for. */
export function moduleFolder(kubernetes: string, module: GoModule): string {
  if (!versions().includes(kubernetes)) {
    throw new PortcullisError(
      'InvalidConfiguration',
      `KUBERNETES=${kubernetes} is not a version that the sandbox can build: choose one of ${versions().join(', ')}`,
    );
  }
  return join(controlPlanes(), moduleName(kubernetes, module));
}

/** The linker's flags. `release` is a Kubernetes version such as `1.36.3`. */
export function linkerFlags(program: Program, release: string): string {
  if (program.stamped === undefined) return '-s -w';
  const [major = 0, minor = 0] = versionIn(release) ?? [];
  const values = {
    gitVersion: `v${release}`,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: 'unknown',
    buildDate: '1970-01-01T00:00:00Z',
  };
  const stamps = VERSION_PACKAGES.flatMap((path) =>
    Object.entries(values).map(([name, value]) => `-X ${path}.${name}=${value}`),
  );
  return ['-s', '-w', ...stamps].join(' ');
}

/** The Kubernetes release that a module pins. */
export function kubernetesRelease(goMod: string): string {
  const [, release] = /^\s*(?:require )?k8s\.io\/kubernetes v(\S+)/m.exec(goMod) ?? [];
  return release ?? '0.0.0';
}

/** The version on the `go` line of a `go.mod`. */
export const goLine = (goMod: string): string => /^go (\S+)/m.exec(goMod)?.[1] ?? '1.26.0';

export interface ModuleFile {
  readonly name: string;
  readonly text: string;
}

/** What a module is made of: `go.mod`, `go.sum` and Go files. */
export const moduleFiles = (folder: string): readonly ModuleFile[] =>
  readdirSync(folder)
    .filter((name) => /^go\.(mod|sum)$|\.go$/.test(name))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

/** A short hash of everything that decides what comes out of a module's build: its files, Go, and how we call it. */
export function fingerprint(module: GoModule, files: readonly ModuleFile[], goVersion: string): string {
  const steps = TOOL_NAMES.filter((name) => toolOf(name).module === module).map((name) => [name, built(toolOf(name))]);
  const everything = JSON.stringify([files, goVersion, GO_ENVIRONMENT, VERSION_PACKAGES, steps]);
  return createHash('sha256').update(everything).digest('hex').slice(0, 16);
}

/** What of an entry decides what is built: not what is asked of a tool that somebody else built. */
function built(tool: Program | Material): object {
  if (tool.kind === 'material') return tool;
  return { kind: tool.kind, package: tool.package, stamped: tool.stamped };
}
