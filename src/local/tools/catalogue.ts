/** The Go modules that tools are built from, each a folder under `src/local/control-plane/`; `kube` one for each version. */
export type GoModule = 'kube' | 'kwok' | 'cert-manager';

export type Version = readonly [major: number, minor: number, patch: number];

/** A program, built from a Go package. */
export interface Program {
  readonly kind: 'program';
  readonly module: GoModule;
  readonly package: string;
  /** Kubernetes' own programs refuse to compare versions unless theirs is stamped in by the linker. */
  readonly stamped?: true;
  /** Arguments that make it print its version. */
  readonly versionArguments: readonly string[];
  /** The oldest one that the sandbox works with, where a user brings their own. */
  readonly oldest: Version;
}

/** Files that a module carries and the sandbox needs as one. */
export interface Material {
  readonly kind: 'material';
  readonly module: GoModule;
  /** Path of the Go module that carries them. */
  readonly carrier: string;
  /** Folder in it. */
  readonly folder: string;
  /** `kustomize`: the folder is rendered by kustomize. `list`: the objects of the named files become one JSON list. */
  readonly how: 'kustomize' | 'list';
  readonly files: readonly string[];
}

/** Streaming lists are on by default from 1.34. */
const KUBERNETES: Version = [1, 34, 0];
const kubernetes = (name: string, versionArguments: readonly string[] = ['--version']): Program => ({
  kind: 'program',
  module: 'kube',
  package: `k8s.io/kubernetes/cmd/${name}`,
  stamped: true,
  versionArguments,
  oldest: KUBERNETES,
});

/** Everything that the sandbox runs and did not write, in the order in which it is built: what the tests need most comes first. */
export const TOOLS = {
  etcd: {
    kind: 'program',
    module: 'kube',
    package: 'go.etcd.io/etcd/server/v3',
    versionArguments: ['--version'],
    // Kubernetes' consistent reads from its cache ask for progress notifications, which came whole with this one.
    oldest: [3, 5, 13],
  },
  'kube-apiserver': kubernetes('kube-apiserver'),
  kubectl: kubernetes('kubectl', ['version', '--client']),
  kustomize: {
    kind: 'program',
    module: 'kube',
    package: 'sigs.k8s.io/kustomize/kustomize/v5',
    versionArguments: ['version'],
    oldest: [5, 0, 0],
  },
  'kube-controller-manager': kubernetes('kube-controller-manager'),
  'kube-scheduler': kubernetes('kube-scheduler'),
  kwok: {
    kind: 'program',
    module: 'kwok',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    versionArguments: ['--version'],
    oldest: [0, 7, 0],
  },
  'cert-manager': {
    kind: 'program',
    module: 'cert-manager',
    package: '.',
    versionArguments: ['--version'],
    oldest: [1, 21, 0],
  },
  'kwok-stages.yaml': {
    kind: 'material',
    module: 'kwok',
    carrier: 'sigs.k8s.io/kwok',
    folder: 'kustomize/stage/fast',
    how: 'kustomize',
    files: [],
  },
  'cert-manager-crds.json': {
    kind: 'material',
    module: 'cert-manager',
    carrier: 'github.com/cert-manager/cert-manager',
    folder: 'deploy/crds',
    how: 'list',
    // Without those of the ACME protocol, which nothing in a sandbox speaks.
    files: ['certificaterequests', 'certificates', 'clusterissuers', 'issuers'].map(
      (kind) => `cert-manager.io_${kind}.yaml`,
    ),
  },
} as const satisfies Record<string, Program | Material>;

export type ToolName = keyof typeof TOOLS;
export const TOOL_NAMES = Object.keys(TOOLS) as readonly ToolName[];
export const toolOf = (name: ToolName): Program | Material => TOOLS[name];

/** Paths of the tools that were asked for. */
export type Tools<Name extends ToolName = ToolName> = Readonly<Record<Name, string>>;

/** The first `1.2.3` of a text. */
export function versionIn(text: string): Version | undefined {
  const [, major, minor, patch] = /(\d+)\.(\d+)\.(\d+)/.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

/** Whether `version` comes before `oldest`. */
export function isOlder(version: Version, oldest: Version): boolean {
  const at = version.findIndex((part, index) => part !== oldest[index]);
  return at >= 0 && (version[at] ?? 0) < (oldest[at] ?? 0);
}
