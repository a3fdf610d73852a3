import { createReadStream, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ApiClient } from '../../src/local/api-client.ts';
import {
  planControlPlane,
  startApiServer,
  startControlPlane as startProcesses,
  type ControlPlane,
} from '../../src/local/control-plane.ts';
import { egressConfiguration, startEgressProxy, type Route } from '../../src/local/api-server-egress-proxy.ts';
import { createToken } from '../../src/local/kubelet/tokens.ts';
import { kubeconfig as kubeconfigText } from '../../src/local/kubeconfig.ts';
import type { Credential } from '../../src/local/pki.ts';
import { recordedProcesses, signalProcess, stopProcess } from '../../src/local/process.ts';
import { printProgress } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/find-or-build-tools.ts';
import { compactEtcd, readSnapshot, restoreSnapshot } from './etcd.ts';
import { atExit } from './exit-hook.ts';
import { kubectlOf, type Kubectl } from './kubectl.ts';
import { watchLogs } from './failure-logs.ts';
import { claim, isClaimed } from './folder-claim.ts';
import { noteRequests } from './permission-usage/requests.ts';

export type { KubectlResult } from './kubectl.ts';

/**
 * A real etcd and kube-apiserver without controllers and Nodes. Therefore, namespaces never finish terminating, and tests must create service
 * accounts.
 */
export interface TestControlPlane extends Kubectl, AsyncDisposable {
  /** `https://127.0.0.1:port`. */
  readonly server: string;
  /** The certificate of the authority that signs the server certificate, PEM. */
  readonly certificateAuthority: string;
  /** The client certificate of a cluster administrator, PEM. */
  readonly administrator: Credential;
  /** Kubeconfig file of the administrator. */
  readonly kubeconfig: string;
  /** Client for API paths with JSON bodies, as the administrator. */
  readonly client: ApiClient;
  /** Returns the audit log from a byte to its end. */
  readonly auditLog: (from?: number) => Promise<string>;
  readonly auditLogSize: () => number;
  /** Sends the API server's connections to Services and pods to the ports that the route returns. Initially, all connections fail. */
  readonly reach: (route: Route) => void;
  /** Records all objects. The returned function restores them, while the API server runs. */
  readonly snapshot: () => Promise<() => Promise<void>>;
  /** Processes that are started in this folder end with the control plane. */
  readonly folder: string;
  /** Returns a kubeconfig file with a client certificate of this user. */
  readonly kubeconfigOfUser: (user: string) => Promise<string>;
  readonly apiServerPid: () => number;
  /** Returns a bearer token of an existing service account, `namespace/name`. Valid for `seconds` (at least 600, by default one hour). */
  readonly createToken: (serviceAccount: string, seconds?: number) => Promise<string>;
  /** Returns a kubeconfig file with a token of this service account. */
  readonly kubeconfigFor: (serviceAccount: string) => Promise<string>;
  /** Kills kube-apiserver with SIGKILL. The data stays. */
  readonly kill: () => Promise<void>;
  /** Starts kube-apiserver at the same address. Resolves when it is ready. */
  readonly start: () => Promise<void>;
  readonly restart: () => Promise<void>;
  /** Suspends kube-apiserver until `resume`: connections stay open without answers. */
  readonly freeze: () => void;
  readonly resume: () => void;
  /** Compacts the history of etcd. Older resource versions get 410 only after a `restart`, because the API server may cache some of the history. */
  readonly compact: () => Promise<void>;
}

export interface TestControlPlaneOptions {
  /** Further flags of kube-apiserver. */
  readonly apiServerArguments?: readonly string[];
}

const PREFIX = 'portcullis-control-plane-';
/** A size that the audit log does not reach, so that it is one file. */
const AUDIT_LOG_MEGABYTES = 10_000;
const OWNER = 'owner.json';

/** Starts a control plane within a few seconds. Declare it with `await using`. */
export async function startControlPlane(options: TestControlPlaneOptions = {}): Promise<TestControlPlane> {
  await sweepLeftOvers();
  const tools = await obtainTools(['etcd', 'kube-apiserver', 'kubectl'], {
    env: process.env,
    progress: printProgress(process.stderr),
  });
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  claim(join(folder, OWNER));
  await using resources = new AsyncDisposableStack();
  resources.defer(stopper(folder));
  const egress = resources.use(await startEgress(folder));
  const plan = await planControlPlane({
    folder,
    tools,
    now: Date.now(),
    apiServerArguments: [
      // Without kube-controller-manager, no default service accounts exist, which pods would need.
      '--disable-admission-plugins=ServiceAccount',
      `--audit-log-maxsize=${AUDIT_LOG_MEGABYTES}`,
      egress.argument,
      ...(options.apiServerArguments ?? []),
    ],
  });
  const plane = await startProcesses(plan);
  resources.defer(() => plane.client.close());
  const owned = resources.move();
  return handle(plane, tools.kubectl, egress.reach, () => owned.disposeAsync());
}

/** A proxy for the API server's connections to Services and pods. */
interface Egress extends AsyncDisposable {
  /** The flag of kube-apiserver. */
  readonly argument: string;
  readonly reach: (route: Route) => void;
}

async function startEgress(folder: string): Promise<Egress> {
  const socket = join(folder, 'egress.sock');
  const configuration = join(folder, 'egress.yaml');
  writeFileSync(configuration, egressConfiguration(socket));
  let route: Route = async () => undefined;
  const proxy = await startEgressProxy(socket, (target) => route(target));
  return {
    argument: `--egress-selector-config-file=${configuration}`,
    reach: (next) => {
      route = next;
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

function handle(
  plane: ControlPlane,
  kubectlPath: string,
  reach: Egress['reach'],
  stop: () => Promise<void>,
): TestControlPlane {
  const { plan, client } = plane;
  const { folder } = plan;
  const kubeconfig = plan.files.administratorKubeconfig;
  let apiServer = plane.apiServer;
  const kill = () => stopProcess(folder, apiServer, 0);
  const start = async () => {
    apiServer = await startApiServer(plan, client);
  };
  return {
    server: plan.address.server,
    certificateAuthority: plan.address.certificateAuthority,
    administrator: plan.administrator,
    kubeconfig,
    client,
    auditLog: (start = 0) => text(createReadStream(plan.files.auditLog, { start })),
    auditLogSize: () => statSync(plan.files.auditLog).size,
    reach,
    snapshot: async () => {
      const snapshot = await readSnapshot(plan.etcdUrl);
      return () => restoreSnapshot(plan.etcdUrl, snapshot);
    },
    folder,
    kubeconfigOfUser: async (user) => {
      const path = join(folder, `${user.replaceAll(':', '.')}.kubeconfig`);
      const credential = await plan.issue({ commonName: user, usage: 'client' });
      writeFileSync(path, kubeconfigText(plan.address, user, credential), { mode: 0o600 });
      return path;
    },
    apiServerPid: () => apiServer.identity.pid,
    ...kubectlOf(kubectlPath, kubeconfig),
    createToken: (serviceAccount, seconds) => tokenOf(client, serviceAccount, seconds),
    kubeconfigFor: async (serviceAccount) => {
      const path = join(folder, `${serviceAccount.replace('/', '.')}.kubeconfig`);
      const token = await tokenOf(client, serviceAccount);
      writeFileSync(path, kubeconfigText(plan.address, serviceAccount, { token }), { mode: 0o600 });
      return path;
    },
    kill,
    start,
    restart: async () => {
      await kill();
      await start();
    },
    freeze: () => signalProcess(apiServer, 'SIGSTOP'),
    resume: () => signalProcess(apiServer, 'SIGCONT'),
    compact: () => compactEtcd(plan.etcdUrl),
    [Symbol.asyncDispose]: stop,
  };
}

function tokenOf(client: ApiClient, account: string, seconds = 3600): Promise<string> {
  const [namespace = '', serviceAccount = ''] = account.split('/');
  return createToken(client, namespace, { serviceAccount, seconds });
}

/** Returns a function that stops every process of the folder and deletes the folder. Runs synchronously if the test process ends first. */
function stopper(folder: string): () => Promise<void> {
  const unwatch = watchLogs(join(folder, 'logs'));
  const forget = atExit(() => {
    for (const left of recordedProcesses(folder)) signalProcess(left, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  return async () => {
    forget();
    unwatch();
    noteRequests(join(folder, 'logs'));
    await removeFolder(folder);
  };
}

async function removeFolder(folder: string): Promise<void> {
  await Promise.all(recordedProcesses(folder).map((left) => stopProcess(folder, left, 0)));
  rmSync(folder, { recursive: true, force: true });
}

/** Stops the processes of killed test runs. */
async function sweepLeftOvers(): Promise<void> {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX));
  for (const folder of folders.map((name) => join(tmpdir(), name))) {
    if (!isClaimed(join(folder, OWNER))) await removeFolder(folder);
  }
}
