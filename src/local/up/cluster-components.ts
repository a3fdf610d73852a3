import { readFileSync } from 'node:fs';
import { systemClock } from '../../base/clock.ts';
import type { ApiClient } from '../api-client.ts';
import { NETWORK } from '../control-plane.ts';
import { startProcess, type ManagedProcess, type ProcessSpec } from '../process.ts';
import { MACHINES, nodeObject } from '../seed.ts';
import type { Prepared } from './sandbox-folder-creation.ts';

/** Returns the processes of the cluster that `make up` starts after the API server: kube-controller-manager, kube-scheduler and kwok. */
export function clusterProcesses({ plan, tools, kubeconfigs }: Prepared): readonly ProcessSpec[] {
  const { files } = plan;
  return [
    {
      name: 'kube-controller-manager',
      command: tools['kube-controller-manager'],
      args: [
        `--kubeconfig=${kubeconfigs['kube-controller-manager']}`,
        // The process opens no port, because nothing reads its metrics or health, and a port could conflict with another sandbox.
        '--secure-port=0',
        '--leader-elect=false',
        '--use-service-account-credentials=true',
        // The default rate limit delays the ServiceAccount tokens of the built-in controllers by four seconds.
        '--kube-api-qps=500',
        '--kube-api-burst=1000',
        '--cloud-provider=external',
        '--allocate-node-cidrs=true',
        `--cluster-cidr=${NETWORK.pods}`,
        `--service-cluster-ip-range=${NETWORK.services}`,
        `--root-ca-file=${files.certificateAuthority}`,
        `--service-account-private-key-file=${files.tokenKey}`,
        `--cluster-signing-cert-file=${files.certificateAuthority}`,
        `--cluster-signing-key-file=${files.certificateAuthorityKey}`,
      ],
    },
    {
      name: 'kube-scheduler',
      command: tools['kube-scheduler'],
      args: [`--kubeconfig=${kubeconfigs['kube-scheduler']}`, '--secure-port=0', '--leader-elect=false'],
    },
    {
      name: 'kwok',
      command: tools.kwok,
      args: [
        `--kubeconfig=${kubeconfigs.kwok}`,
        `--config=${tools['kwok-stages.yaml']}`,
        '--manage-all-nodes=false',
        '--manage-nodes-with-label-selector=type=kwok',
        `--node-ip=${NETWORK.machine}`,
        '--node-lease-duration-seconds=40',
      ],
    },
  ];
}

/** Returns the process of cert-manager, which issues the certificate of the webhook. `make up` first installs the CRDs of cert-manager. */
export const certManagerProcess = ({ tools, kubeconfigs }: Prepared): ProcessSpec => ({
  name: 'cert-manager',
  command: tools['cert-manager'],
  args: [`--cluster=${kubeconfigs['cert-manager']}`],
});

export const startAll = (folder: string, specs: readonly ProcessSpec[]): Promise<readonly ManagedProcess[]> =>
  Promise.all(specs.map((spec) => startProcess(folder, spec)));

/** Creates the Nodes of the three machines, which kwok then sets to ready. */
export async function createNodes(client: ApiClient, signal: AbortSignal): Promise<void> {
  await Promise.all(MACHINES.map((machine) => client.create('/api/v1/nodes', nodeObject(machine), signal)));
}

interface NodeList {
  readonly items: readonly {
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

/** Returns the number of Nodes that kwok has set to ready. */
export async function readyNodes(client: ApiClient, signal: AbortSignal): Promise<number> {
  const { items } = (await client.get('/api/v1/nodes', signal)) as NodeList;
  return items.filter(({ status }) =>
    (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True'),
  ).length;
}

interface CustomResourceDefinition {
  readonly metadata: { readonly name: string };
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CERT_MANAGER_API = '/apis/cert-manager.io/v1';
const POLL_MS = 50;

/** Installs the CRDs of cert-manager, and resolves when the API server serves their kinds. */
export async function installCertManagerKinds(client: ApiClient, file: string, signal: AbortSignal): Promise<void> {
  const { items } = JSON.parse(readFileSync(file, 'utf8')) as { readonly items: readonly CustomResourceDefinition[] };
  await Promise.all(items.map((item) => client.apply(`${CRDS}/${item.metadata.name}`, item, signal)));
  while (!(await serves(client, items.length, signal))) await systemClock.sleep(POLL_MS, signal);
}

async function serves(client: ApiClient, kinds: number, signal: AbortSignal): Promise<boolean> {
  const found = (await client.find(CERT_MANAGER_API, signal)) as
    { readonly resources: readonly { readonly name: string }[] } | undefined;
  return (found?.resources ?? []).filter(({ name }) => !name.includes('/')).length >= kinds;
}
