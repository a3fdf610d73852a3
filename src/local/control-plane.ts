import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { apiClient, type ApiClient } from './api-client.ts';
import { AUDIT_POLICY } from './audit-policy.ts';
import { kubeconfig, type ClusterAddress } from './kubeconfig.ts';
import { createAuthority, createTokenKeys, type CertificateAuthority, type Credential } from './pki.ts';
import { freePorts } from './free-ports.ts';
import { startProcess, untilReady, type ManagedProcess, type ProcessSpec } from './process.ts';

/** The addresses of the cluster. `machine` is a documentation address (RFC 5737), because the API server rejects loopback addresses as endpoints. */
export const NETWORK = {
  machine: '192.0.2.10',
  services: '172.21.0.0/20',
  firstService: '172.21.0.1',
  pods: '10.64.0.0/12',
} as const;

/** The command lines and certificates of etcd and kube-apiserver. A restart with the same plan keeps the data and the address. */
export interface ControlPlanePlan {
  readonly folder: string;
  readonly address: ClusterAddress;
  readonly administrator: Credential;
  readonly etcdUrl: string;
  readonly etcd: ProcessSpec;
  readonly apiServer: ProcessSpec;
  readonly files: {
    readonly administratorKubeconfig: string;
    readonly auditLog: string;
    readonly certificateAuthority: string;
    readonly certificateAuthorityKey: string;
    readonly tokenKey: string;
  };
  /** Issues a certificate that kube-apiserver accepts from its clients. */
  readonly issue: CertificateAuthority['issue'];
}

/** The inputs of `planControlPlane`. */
export interface ControlPlaneOptions {
  /** The absolute path of the folder for data, certificates, logs and records. `planControlPlane` creates the folder. */
  readonly folder: string;
  readonly tools: { readonly etcd: string; readonly 'kube-apiserver': string };
  /** Additional flags of kube-apiserver. */
  readonly apiServerArguments?: readonly string[];
  /** The start of the certificates' validity, in milliseconds since the epoch. */
  readonly now: number;
}

const SERVER_NAMES = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];

/** Writes the keys, certificates and configuration of a new control plane, and selects free ports. Called before `startControlPlane`. */
export async function planControlPlane(options: ControlPlaneOptions): Promise<ControlPlanePlan> {
  const { folder, now } = options;
  const [authority, frontProxy, tokenKeys, ports] = await Promise.all([
    createAuthority('kubernetes', now),
    createAuthority('front-proxy', now),
    createTokenKeys(),
    freePorts(3),
  ]);
  const [client = 0, peer = 0, secure = 0] = ports;
  const [serving, administrator, proxyClient] = await Promise.all([
    authority.issue({
      commonName: 'kube-apiserver',
      usage: 'server',
      dnsNames: SERVER_NAMES,
      addresses: ['127.0.0.1', NETWORK.machine, NETWORK.firstService],
    }),
    authority.issue({ commonName: 'sandbox-administrator', organization: 'system:masters', usage: 'client' }),
    frontProxy.issue({ commonName: 'front-proxy', usage: 'client' }),
  ]);
  const address = { server: `https://127.0.0.1:${secure}`, certificateAuthority: authority.certificate };
  const write = fileWriter(folder);
  const paths = {
    ca: write('pki/ca.crt', authority.certificate),
    caKey: write('pki/ca.key', authority.key),
    serving: write('pki/kube-apiserver.crt', serving.certificate),
    servingKey: write('pki/kube-apiserver.key', serving.key),
    frontProxy: write('pki/front-proxy-ca.crt', frontProxy.certificate),
    proxyClient: write('pki/front-proxy.crt', proxyClient.certificate),
    proxyClientKey: write('pki/front-proxy.key', proxyClient.key),
    tokens: write('pki/service-accounts.pub', tokenKeys.publicKey),
    tokensKey: write('pki/service-accounts.key', tokenKeys.privateKey),
    auditPolicy: write('audit-policy.yaml', AUDIT_POLICY),
    auditLog: join(folder, 'logs', 'audit.log'),
  };
  const etcdUrl = `http://127.0.0.1:${client}`;
  return {
    folder,
    address,
    administrator,
    etcdUrl,
    etcd: etcd(options, etcdUrl, `http://127.0.0.1:${peer}`),
    apiServer: apiServer(options, etcdUrl, secure, paths),
    files: {
      administratorKubeconfig: write('kubeconfig', kubeconfig(address, 'administrator', administrator)),
      auditLog: paths.auditLog,
      certificateAuthority: paths.ca,
      certificateAuthorityKey: paths.caKey,
      tokenKey: paths.tokensKey,
    },
    issue: authority.issue,
  };
}

/** Returns a function that writes a file to the folder and returns its path. Only the owner can read the file. */
function fileWriter(folder: string): (name: string, text: string) => string {
  mkdirSync(join(folder, 'pki'), { recursive: true });
  return (name, text) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
}

function etcd({ folder, tools }: ControlPlaneOptions, clientUrl: string, peerUrl: string): ProcessSpec {
  return {
    name: 'etcd',
    command: tools.etcd,
    args: [
      `--data-dir=${join(folder, 'etcd')}`,
      // Without fsync, a start takes a tenth of the time, and a sandbox need not keep its data in a power failure.
      '--unsafe-no-fsync=true',
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      '--auto-compaction-retention=1',
      '--quota-backend-bytes=4294967296',
      '--log-level=warn',
    ],
  };
}

interface ServerPaths {
  readonly ca: string;
  readonly serving: string;
  readonly servingKey: string;
  readonly frontProxy: string;
  readonly proxyClient: string;
  readonly proxyClientKey: string;
  readonly tokens: string;
  readonly tokensKey: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
}

function apiServer(options: ControlPlaneOptions, etcdUrl: string, port: number, paths: ServerPaths): ProcessSpec {
  return {
    name: 'kube-apiserver',
    command: options.tools['kube-apiserver'],
    args: [
      `--etcd-servers=${etcdUrl}`,
      '--bind-address=127.0.0.1',
      `--advertise-address=${NETWORK.machine}`,
      `--secure-port=${port}`,
      `--tls-cert-file=${paths.serving}`,
      `--tls-private-key-file=${paths.servingKey}`,
      `--client-ca-file=${paths.ca}`,
      `--service-cluster-ip-range=${NETWORK.services}`,
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${paths.tokens}`,
      `--service-account-signing-key-file=${paths.tokensKey}`,
      '--authorization-mode=Node,RBAC',
      '--allow-privileged=true',
      '--enable-aggregator-routing=true',
      `--requestheader-client-ca-file=${paths.frontProxy}`,
      '--requestheader-allowed-names=front-proxy',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--proxy-client-cert-file=${paths.proxyClient}`,
      `--proxy-client-key-file=${paths.proxyClientKey}`,
      `--audit-policy-file=${paths.auditPolicy}`,
      `--audit-log-path=${paths.auditLog}`,
      ...(options.apiServerArguments ?? []),
    ],
  };
}

/** A running etcd and kube-apiserver, with a client. */
export interface ControlPlane {
  readonly plan: ControlPlanePlan;
  readonly client: ApiClient;
  readonly etcd: ManagedProcess;
  readonly apiServer: ManagedProcess;
}

const READY_MS = 180_000;

/** Starts etcd and kube-apiserver. After a failure, the caller must stop the started processes, which `recordedProcesses` returns. */
export async function startControlPlane(plan: ControlPlanePlan, signal?: AbortSignal): Promise<ControlPlane> {
  const etcdProcess = await startProcess(plan.folder, plan.etcd);
  // kube-apiserver starts after etcd, because kube-apiserver exits within seconds without etcd.
  await untilReady(etcdProcess, () => etcdHealthy(plan.etcdUrl), { timeoutMs: READY_MS, signal });
  const client = apiClient(plan.address, plan.administrator);
  const apiServerProcess = await startApiServer(plan, client, signal);
  return { plan, client, etcd: etcdProcess, apiServer: apiServerProcess };
}

/** Starts kube-apiserver on a running etcd, and resolves when kube-apiserver is ready. Tests also restart kube-apiserver with this function. */
export async function startApiServer(
  plan: ControlPlanePlan,
  client: ApiClient,
  signal?: AbortSignal,
): Promise<ManagedProcess> {
  const started = await startProcess(plan.folder, plan.apiServer);
  await untilReady(started, async () => (await client.ready(signal)) || undefined, { timeoutMs: READY_MS, signal });
  return started;
}

async function etcdHealthy(url: string): Promise<true | undefined> {
  const { statusCode, body } = await request(`${url}/health`, { bodyTimeout: 1000, headersTimeout: 1000 });
  await body.dump();
  return statusCode === 200 ? true : undefined;
}
