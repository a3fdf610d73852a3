import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PortcullisError } from '../../base/errors.ts';
import { repositoryRoot } from '../repository.ts';
import { TOOL_NAMES, toolOf, versionIn, type GoModule, type Material, type Program } from './catalogue.ts';

/** The environment of the go command. `GOTOOLCHAIN=local` prevents a download of another Go version. `GOGC=200` makes the compiler faster. */
export const GO_ENVIRONMENT = {
  CGO_ENABLED: '0',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-trimpath -buildvcs=false',
  GOWORK: 'off',
  GOGC: '200',
};

/** The flags that omit debug information, because the linker strips it anyway, and generating it takes an eighth of the build time. */
const COMPILER_FLAGS = 'all=-dwarf=false';

/** The Go packages that store the version of Kubernetes. */
const VERSION_PACKAGES = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];

const controlPlanes = (): string => join(repositoryRoot(), 'src', 'local', 'control-plane');

const isVersion = (name: string): boolean => /^\d+\.\d+$/.test(name);

/** Returns the supported versions of Kubernetes. Each version has a folder with a Go module. */
const versions = (): readonly string[] => readdirSync(controlPlanes()).filter(isVersion);

/** Returns the name of a module's folder for a version of Kubernetes. */
export const moduleName = (kubernetes: string, module: GoModule): string =>
  module === 'kubernetes' ? kubernetes : module;

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

/** Returns the flags of `go build` for the programs of a module. */
export const buildFlags = (goMod: string): readonly string[] => [
  '-gcflags',
  COMPILER_FLAGS,
  '-ldflags',
  linkerFlags(kubernetesRelease(goMod)),
];

/** Returns the linker flags. The flags set the version of Kubernetes, such as `1.36.3`, because the programs of Kubernetes compare versions. */
function linkerFlags(release: string | undefined): string {
  if (release === undefined) return '-s -w';
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

/** Returns the Kubernetes release that a module requires. Returns undefined for a module without Kubernetes, such as `helm`. */
export const kubernetesRelease = (goMod: string): string | undefined =>
  /^\s*(?:require )?k8s\.io\/kubernetes v(\S+)/m.exec(goMod)?.[1];

/** Returns the version in the `go` line of a `go.mod`, by default `1.26.0`. */
export const goLine = (goMod: string): string => /^go (\S+)/m.exec(goMod)?.[1] ?? '1.26.0';

/** A source file of a module. */
export interface ModuleFile {
  readonly name: string;
  readonly text: string;
}

/** Returns the sources of a module: `go.mod`, `go.sum` and Go files. */
export const moduleFiles = (folder: string): readonly ModuleFile[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^go\.(mod|sum)$|\.go$/.test(name))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

/** Returns a short hash of all inputs of a module's builds: files, Go version and build commands. A new hash makes `obtainTools` build again. */
export function fingerprint(folder: string, files: readonly ModuleFile[], goVersion: string): string {
  const steps = TOOL_NAMES.map((name) => [name, toolOf(name)] as const)
    .filter(([, { module }]) => module === folder || (module === 'kubernetes' && isVersion(folder)))
    .map(([name, tool]) => [name, inputs(tool)]);
  const everything = JSON.stringify([files, goVersion, GO_ENVIRONMENT, COMPILER_FLAGS, VERSION_PACKAGES, steps]);
  return createHash('sha256').update(everything).digest('hex').slice(0, 16);
}

/** Returns the fields of a tool that affect its build. The other fields of a program, such as `seconds`, do not affect the build. */
const inputs = (tool: Program | Material): object => (tool.kind === 'material' ? tool : { package: tool.package });
