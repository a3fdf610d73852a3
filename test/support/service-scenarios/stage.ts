import { Registry } from 'prom-client';
import { Agent, request } from 'undici';
import { systemClock } from '../../../src/base/clock.ts';
import { pluginConnection } from '../../../src/kubernetes/credential-plugin.ts';
import { kubeconfigConnection } from '../../../src/kubernetes/kubeconfig.ts';
import { transportMetrics } from '../../../src/kubernetes/metrics.ts';
import { Transport } from '../../../src/kubernetes/transport.ts';
import { startAdmissionCluster } from '../admission-cluster.ts';
import { patient } from '../webhook-rollouts.ts';
import type { TestControlPlane } from '../control-plane.ts';
import { aCloudInventory } from '../inventory.ts';
import { manifestsOf } from '../manifests.ts';
import { OBSERVED_AT, startAdmission, type Admission } from './admission.ts';
import { SHARED_NODES, SCENARIO } from './scenario-requests.ts';

export type Verb = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The answer of the API server to a user's request. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** A real API server with an active webhook, which all scenarios of integration/scenarios share. */
export interface Stage extends AsyncDisposable {
  /** Transport with the controller's service account and the shipped permissions. */
  readonly transport: Transport;
  readonly admission: Admission;
  /** Sends requests as a cluster administrator. */
  readonly ask: (verb: Verb, path: string, contentType: string, body?: object) => Promise<Answer>;
}

/** The label of namespaces whose objects are stored while the webhook is unavailable. */
export const AWAY = 'webhook-is-away';
/** A range with enough node ports for all scenarios. */
const NODE_PORTS = '--service-node-port-range=10000-60000';
const NODES = ['n1', 'n2', 'n3'];

const failsUnlessAway = (hook: Record<string, unknown>): Record<string, unknown> => ({
  ...patient(hook),
  failurePolicy: 'Fail',
  namespaceSelector: { matchExpressions: [{ key: AWAY, operator: 'DoesNotExist' }] },
});

async function transportAs(account: string, plane: TestControlPlane): Promise<Transport> {
  const path = await plane.kubeconfigFor(`portcullis-system/${account}`);
  return new Transport({
    connection: await kubeconfigConnection({ path, clock: systemClock, plugins: pluginConnection }),
    clock: systemClock,
    userAgent: `${account}/scenarios`,
    rate: { perSecond: Infinity, burst: Infinity },
    metrics: transportMetrics(new Registry()),
  });
}

function personOf({ server, administrator, certificateAuthority }: TestControlPlane): {
  readonly agent: Agent;
  readonly ask: Stage['ask'];
} {
  const connect = { ca: certificateAuthority, cert: administrator.certificate, key: administrator.key };
  const agent = new Agent({ allowH2: false, connect });
  return {
    agent,
    ask: async (method, path, type, body) => {
      const answer = await request(server + path, {
        method,
        dispatcher: agent,
        headers: { 'content-type': `application/${type}` },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const { warning = [] } = answer.headers;
      const content = (await answer.body.json()) as Answer['body'];
      return { status: answer.statusCode, body: content, warnings: [warning].flat() };
    },
  };
}

/** Creates the controller's account and permissions, Nodes, and facts about the cluster. */
async function furnish(plane: TestControlPlane): Promise<void> {
  const labels = { [SCENARIO]: SHARED_NODES };
  const ready = { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Kubelet', message: '' }] } };
  const { status, ...inventory } = aCloudInventory({ observedAt: OBSERVED_AT, clusterCidrs: ['10.244.0.0/16'] });
  const objects: readonly object[] = [
    ...manifestsOf('manifests/controller/*.yaml').filter(({ kind }) => kind !== 'Deployment'),
    ...NODES.map((name, index) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: { providerID: `cn-hangzhou.i-${index + 1}` },
    })),
    { ...inventory, metadata: { name: inventory.metadata.name, labels } },
  ];
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects.map(withoutFile) });
  const { code, stderr } = await plane.kubectlWith(list, 'apply', '--server-side', '-f', '-');
  if (code !== 0) throw new Error(stderr);
  const patched = (kind: string, name: string, patch: object): Promise<unknown> =>
    plane.kubectl('patch', kind, name, '--subresource=status', '--type=merge', '-p', JSON.stringify(patch));
  await Promise.all([
    ...NODES.map((name) => patched('node', name, ready)),
    patched('cloudinventory', inventory.metadata.name, { status }),
  ]);
}

const withoutFile = (object: object): object => ({ ...object, file: undefined });

export async function startStage(): Promise<Stage> {
  await using resources = new AsyncDisposableStack();
  const cluster = resources.use(await startAdmissionCluster({ apiServerArguments: [NODE_PORTS] }));
  const { plane } = cluster;
  await furnish(plane);
  const { agent, ask } = personOf(plane);
  resources.defer(() => agent.destroy());
  const transport = resources.use(await transportAs('portcullis-controller', plane));
  const own = resources.use(await transportAs('portcullis-webhook', plane));
  const admission = resources.use(await startAdmission(own, cluster.certificate));
  cluster.route(admission.port);
  await cluster.register({ change: failsUnlessAway });
  const owned = resources.move();
  return { transport, admission, ask, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
