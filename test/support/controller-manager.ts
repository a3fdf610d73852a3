import { startProcess, stopProcess, untilReady } from '../../src/local/process.ts';
import { printProgress } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/find-or-build-tools.ts';
import type { TestControlPlane } from './control-plane.ts';

/** Controllers of kube-controller-manager for Nodes: they assign pod ranges, and taint Nodes by their conditions. */
const CONTROLLERS = ['node-ipam-controller', 'node-lifecycle-controller', 'taint-eviction-controller'];

const USER = 'system:kube-controller-manager';
/**
 * The permissions of the account that all controllers share. In a real cluster, each controller has its own account, which another controller
 * creates.
 */
const RIGHTS = [
  'create',
  'clusterrolebinding',
  'kube-controller-manager-nodes',
  '--clusterrole=system:controller:node-controller',
  `--user=${USER}`,
];

/** A Node whose assigned range shows that the controllers run. */
const PROBE = 'is-kube-controller-manager-up';
const READY_MS = 60_000;

async function givesRanges({ kubectlWith }: Pick<TestControlPlane, 'kubectlWith'>): Promise<true | undefined> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: PROBE } };
  const path = '-o=jsonpath={.spec.podCIDR}';
  const { stdout, code } = await kubectlWith('', 'get', 'node', PROBE, path);
  if (code !== 0) await kubectlWith(JSON.stringify(node), 'create', '-f', '-');
  return code === 0 && stdout !== '' ? true : undefined;
}

export interface ControllerManagerOptions {
  /** One pod range, or one range for each address family. */
  readonly clusterCidrs: readonly string[];
  /** Prefix lengths of the Nodes' ranges, for IPv4 and IPv6. */
  readonly nodePrefixes: readonly [ipv4: number, ipv6: number];
}

/** Starts kube-controller-manager as for an external cloud provider, for scenarios of Nodes. It stops with the block, or with the control plane. */
export async function startControllerManager(
  plane: Pick<TestControlPlane, 'folder' | 'kubeconfigOfUser' | 'kubectl' | 'kubectlWith'>,
  { clusterCidrs, nodePrefixes: [ipv4, ipv6] }: ControllerManagerOptions,
): Promise<AsyncDisposable> {
  const tools = await obtainTools(['kube-controller-manager'], {
    env: process.env,
    progress: printProgress(process.stderr),
  });
  await plane.kubectlWith('', ...RIGHTS);
  const masks =
    clusterCidrs.length === 1
      ? [`--node-cidr-mask-size=${clusterCidrs[0]?.includes(':') === true ? ipv6 : ipv4}`]
      : [`--node-cidr-mask-size-ipv4=${ipv4}`, `--node-cidr-mask-size-ipv6=${ipv6}`];
  const started = await startProcess(plane.folder, {
    name: 'kube-controller-manager',
    command: tools['kube-controller-manager'],
    args: [
      `--kubeconfig=${await plane.kubeconfigOfUser(USER)}`,
      '--secure-port=0',
      '--leader-elect=false',
      '--kube-api-qps=500',
      '--kube-api-burst=1000',
      '--cloud-provider=external',
      '--allocate-node-cidrs=true',
      `--cluster-cidr=${clusterCidrs.join(',')}`,
      ...masks,
      `--controllers=${CONTROLLERS.join(',')}`,
      // Tests write conditions in place of kubelets, but do not renew them, so they expire late. Nodes without any condition expire early.
      '--node-monitor-grace-period=30m',
      '--node-startup-grace-period=2s',
      '--node-monitor-period=1s',
    ],
  });
  await untilReady(started, () => givesRanges(plane), { timeoutMs: READY_MS });
  await plane.kubectl('delete', 'node', PROBE);
  return { [Symbol.asyncDispose]: () => stopProcess(plane.folder, started, 0) };
}
