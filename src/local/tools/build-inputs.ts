import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PortcullisError } from '../../base/errors.ts';
import { repositoryRoot } from '../repository.ts';
import { TOOL_NAMES, toolOf, versionIn, type GoModule, type Material, type Program } from './catalogue.ts';

/** The environment of the go command. `GOTOOLCHAIN=local` prevents a download of another Go version. */
export const GO_ENVIRONMENT = {
  CGO_ENABLED: '0',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-trimpath -buildvcs=false',
  GOWORK: 'off',
};

const VERSION_PACKAGES = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];

const controlPlanes = (): string => join(repositoryRoot(), 'src', 'local', 'control-plane');

/** Returns the supported versions of Kubernetes. Each version has a folder with a Go module. */
const versions = (): readonly string[] => readdirSync(controlPlanes()).filter((name) => /^\d+\.\d+$/.test(name));

/** Returns the path of a module below `control-plane`. The module `kube` has a folder for each version of Kubernetes. */
export const moduleName = (kubernetes: string, module: GoModule): string =>
  module === 'kube' ? `${kubernetes}/${module}` : module;

/** Returns the folder of a module's `go.mod`. Throws `InvalidConfiguration` for an unsupported version of Kubernetes. */
export function moduleFolder(kubernetes: string, module: GoModule): string {
  if (!versions().includes(kubernetes)) {
    throw new PortcullisError(
      'InvalidConfiguration',
      `KUBERNETES=${kubernetes} is not a version that the sandbox can build: choose one of ${versions().join(', ')}`,
    );
  }
  return join(controlPlanes(), moduleName(kubernetes, module));
}

/** Returns the linker flags, which set the version of the programs of Kubernetes. `release` is a version such as `1.36.3`. */
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

/** Returns the Kubernetes release that a module requires. */
export function kubernetesRelease(goMod: string): string {
  const [, release] = /^\s*(?:require )?k8s\.io\/kubernetes v(\S+)/m.exec(goMod) ?? [];
  return release ?? '0.0.0';
}

/** Returns the version in the `go` line of a `go.mod`. */
export const goLine = (goMod: string): string => /^go (\S+)/m.exec(goMod)?.[1] ?? '1.26.0';

/** A source file of a module. */
export interface ModuleFile {
  readonly name: string;
  readonly text: string;
}

/** Returns the sources of a module: `go.mod`, `go.sum` and Go files. */
export const moduleFiles = (folder: string): readonly ModuleFile[] =>
  readdirSync(folder)
    .filter((name) => /^go\.(mod|sum)$|\.go$/.test(name))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

/** Returns a short hash of all inputs of a build: source files, Go version and build commands. A changed input causes a new build. */
export function fingerprint(module: GoModule, files: readonly ModuleFile[], goVersion: string): string {
  const steps = TOOL_NAMES.filter((name) => toolOf(name).module === module).map((name) => [name, built(toolOf(name))]);
  const everything = JSON.stringify([files, goVersion, GO_ENVIRONMENT, VERSION_PACKAGES, steps]);
  return createHash('sha256').update(everything).digest('hex').slice(0, 16);
}

/** Returns the fields of a tool that affect its build. Omits the oldest supported version, which concerns only programs that a user supplies. */
function built(tool: Program | Material): object {
  if (tool.kind === 'material') return tool;
  return { kind: tool.kind, package: tool.package, stamped: tool.stamped };
}
