/** The Go modules of the tools, each a folder under `src/local/control-plane/`. `kube` has a folder for each version. */
export type GoModule = 'kube' | 'kwok' | 'cert-manager' | 'helm';

/** The version of a program. */
export type Version = readonly [major: number, minor: number, patch: number];

/** A program that is built from a Go package. */
export interface Program {
  readonly kind: 'program';
  readonly module: GoModule;
  readonly package: string;
  /** True for the programs of Kubernetes. Version checks between them need a version that the linker sets. */
  readonly stamped?: true;
  /** The arguments that print the version. */
  readonly versionArguments: readonly string[];
  /** The oldest supported version, for programs that a user supplies. */
  readonly oldest: Version;
}

/** Manifests of a Go module, which the build combines into one file. The sandbox applies the file or passes it to a program. */
export interface Material {
  readonly kind: 'material';
  readonly module: GoModule;
  /** The path of the Go module with the files. */
  readonly carrier: string;
  /** The folder in the module. */
  readonly folder: string;
  /** `kustomize`: kustomize renders the folder. `list`: the objects of the named files become one JSON list. */
  readonly how: 'kustomize' | 'list';
  readonly files: readonly string[];
}

/** The oldest supported Kubernetes: the first version with streaming lists by default. */
const KUBERNETES: Version = [1, 34, 0];
const kubernetes = (name: string, versionArguments: readonly string[] = ['--version']): Program => ({
  kind: 'program',
  module: 'kube',
  package: `k8s.io/kubernetes/cmd/${name}`,
  stamped: true,
  versionArguments,
  oldest: KUBERNETES,
});

/** All third-party tools in the order of their builds. The tools that tests need most come first. */
export const TOOLS = {
  etcd: {
    kind: 'program',
    module: 'kube',
    package: 'go.etcd.io/etcd/server/v3',
    versionArguments: ['--version'],
    // The watch cache of Kubernetes serves consistent reads with progress notifications, which are complete since etcd 3.5.13.
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
    // The kinds of the ACME protocol are omitted, because the sandbox does not use ACME.
    files: ['certificaterequests', 'certificates', 'clusterissuers', 'issuers'].map(
      (kind) => `cert-manager.io_${kind}.yaml`,
    ),
  },
  // Tests of the chart need Helm, and the sandbox does not.
  helm: {
    kind: 'program',
    module: 'helm',
    package: 'helm.sh/helm/v4/cmd/helm',
    versionArguments: ['version'],
    oldest: [4, 2, 0],
  },
} as const satisfies Record<string, Program | Material>;

export type ToolName = keyof typeof TOOLS;
export const TOOL_NAMES = Object.keys(TOOLS) as readonly ToolName[];
export type SandboxTool = Exclude<ToolName, 'helm'>;
/** The tools that a sandbox needs. */
export const SANDBOX_TOOLS = TOOL_NAMES.filter((name): name is SandboxTool => name !== 'helm');
export const toolOf = (name: ToolName): Program | Material => TOOLS[name];

/** The paths of the requested tools. */
export type Tools<Name extends ToolName = SandboxTool> = Readonly<Record<Name, string>>;

/** Returns the first version of the form `1.2.3` in a text. */
export function versionIn(text: string): Version | undefined {
  const [, major, minor, patch] = /(\d+)\.(\d+)\.(\d+)/.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

/** Returns whether `version` is older than `oldest`. */
export function isOlder(version: Version, oldest: Version): boolean {
  const at = version.findIndex((part, index) => part !== oldest[index]);
  return at >= 0 && (version[at] ?? 0) < (oldest[at] ?? 0);
}
