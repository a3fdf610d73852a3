/** The default version of Kubernetes. Its Go module also has the tools that serve every version, such as kwok and cert-manager. */
export const DEFAULT_KUBERNETES = '1.36';

/** The Go module of a tool, a folder under `src/local/control-plane/`. `kubernetes` stands for the folder of the selected version. */
export type GoModule = 'kubernetes' | 'helm' | typeof DEFAULT_KUBERNETES;

/** The version of a program. */
export type Version = readonly [major: number, minor: number, patch: number];

/** A program that is built from a Go package. */
export interface Program {
  readonly kind: 'program';
  readonly module: GoModule;
  readonly package: string;
  /** The extra build seconds, on two cores, if all programs above this program in `TOOLS` are already built. */
  readonly seconds: number;
  /** The arguments that print the version. */
  readonly versionArguments: readonly string[];
  /** The oldest supported version, for programs that a user supplies. */
  readonly oldest: Version;
}

/** Manifests from a Go module, which the build combines into one file. */
export interface Material {
  readonly kind: 'material';
  readonly module: GoModule;
  /** The path of the Go module with the files. */
  readonly carrier: string;
  /** The folder in the module. */
  readonly folder: string;
  /** `kustomize`: `kubectl kustomize` renders the folder. `list`: the objects of the named files become one JSON list. */
  readonly how: 'kustomize' | 'list';
  readonly files: readonly string[];
}

/** The oldest supported Kubernetes: the first version with streaming lists by default. */
const KUBERNETES: Version = [1, 34, 0];
const kubernetes = (name: string, seconds: number, versionArguments: readonly string[] = ['--version']): Program => ({
  kind: 'program',
  module: 'kubernetes',
  package: `k8s.io/kubernetes/cmd/${name}`,
  seconds,
  versionArguments,
  oldest: KUBERNETES,
});

/** All third-party tools, which the sandbox and tests need. The first sandbox on a machine builds missing tools with Go. */
export const TOOLS = {
  etcd: {
    kind: 'program',
    module: 'kubernetes',
    package: 'go.etcd.io/etcd/server/v3',
    seconds: 36,
    versionArguments: ['--version'],
    // The watch cache of Kubernetes serves consistent reads with progress notifications, which are complete since etcd 3.5.13.
    oldest: [3, 5, 13],
  },
  'kube-apiserver': kubernetes('kube-apiserver', 130),
  kubectl: kubernetes('kubectl', 22, ['version', '--client']),
  'kube-controller-manager': kubernetes('kube-controller-manager', 75),
  'kube-scheduler': kubernetes('kube-scheduler', 12),
  kwok: {
    kind: 'program',
    module: '1.36',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    seconds: 20,
    versionArguments: ['--version'],
    oldest: [0, 7, 0],
  },
  'cert-manager': {
    kind: 'program',
    module: '1.36',
    package: './cert-manager',
    seconds: 22,
    versionArguments: ['--version'],
    oldest: [1, 21, 0],
  },
  // Only tests need kustomize, to compare its output with the output of kubectl.
  kustomize: {
    kind: 'program',
    module: '1.36',
    package: 'sigs.k8s.io/kustomize/kustomize/v5',
    seconds: 3,
    versionArguments: ['version'],
    oldest: [5, 0, 0],
  },
  'kwok-stages.yaml': {
    kind: 'material',
    module: '1.36',
    carrier: 'sigs.k8s.io/kwok',
    folder: 'kustomize/stage/fast',
    how: 'kustomize',
    files: [],
  },
  'cert-manager-crds.json': {
    kind: 'material',
    module: '1.36',
    carrier: 'github.com/cert-manager/cert-manager',
    folder: 'deploy/crds',
    how: 'list',
    // The kinds of the ACME protocol are omitted, because the sandbox does not use ACME.
    files: ['certificaterequests', 'certificates', 'clusterissuers', 'issuers'].map(
      (kind) => `cert-manager.io_${kind}.yaml`,
    ),
  },
  helm: {
    kind: 'program',
    module: 'helm',
    package: 'helm.sh/helm/v4/cmd/helm',
    seconds: 90,
    versionArguments: ['version'],
    oldest: [4, 2, 0],
  },
} as const satisfies Record<string, Program | Material>;

export type ToolName = keyof typeof TOOLS;
export const TOOL_NAMES = Object.keys(TOOLS) as readonly ToolName[];
export type SandboxTool = Exclude<ToolName, 'kustomize' | 'helm'>;
/** The tools that a sandbox needs. Only tests need kustomize and Helm. */
export const SANDBOX_TOOLS = TOOL_NAMES.filter((name): name is SandboxTool => name !== 'kustomize' && name !== 'helm');
export const toolOf = (name: ToolName): Program | Material => TOOLS[name];

/** The paths of the requested tools, by name. */
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
