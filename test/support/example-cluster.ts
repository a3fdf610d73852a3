import { Agent, request } from 'undici';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import type { RuleCard } from '../../src/rules/rule.ts';
import { startAdmissionCluster, type AdmissionCluster } from './admission-cluster.ts';
import { patient } from './webhook-rollouts.ts';
import { eventually } from './eventually.ts';
import { exampleServices, storedBefore, wholeExample } from './example.ts';
import { aClbStatus } from './inventory.ts';
import { startWebhook } from './webhook-process.ts';

const INVENTORY = '/apis/portcullis.io/v1alpha1/classicloadbalancers';
const NAMESPACES = '/api/v1/namespaces';
/** The field manager of the stored and the applied object. Fields that the applied object omits are therefore removed, as with `kubectl apply`. */
const AS_APPLIED = 'fieldManager=example&force=true';

/** The answer of the API server to a request. */
export interface Answered {
  readonly status: number;
  /** Rules that a denial or a warning names, without duplicates. */
  readonly rules: readonly string[];
  /** Unchanged text of the denial and the warnings. */
  readonly output: string;
}

/** A real API server with an active webhook. `integration/webhook/rule-examples.test.ts` applies the documented examples of all rules to it. */
export interface ExampleCluster extends AsyncDisposable {
  readonly plane: AdmissionCluster['plane'];
  /** Sets the initial state of an example: load balancers in the inventory, Services, and a stored object. */
  prepare(rule: RuleCard): Promise<void>;
  /** Applies an example as a dry run with full admission. */
  apply(rule: RuleCard, which: 'wrong' | 'right'): Promise<Answered>;
}

const explained = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/ \[([a-z-]+)\]/g)].map(([, rule = '']) => rule)),
];

/** Sends requests as the cluster's administrator. */
function requestsOf({ plane }: AdmissionCluster) {
  const { certificate: cert, key } = plane.administrator;
  const dispatcher = new Agent({ connect: { ca: plane.certificateAuthority, cert, key } });
  const send = async (method: 'GET' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Answered> => {
    const type = path.includes('fieldManager=') ? 'apply-patch+yaml' : 'merge-patch+json';
    const answer = await request(plane.server + path, {
      method,
      dispatcher,
      headers: { 'content-type': `application/${type}` },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    const { warning = [] } = answer.headers;
    const rejected = answer.statusCode < 300 ? [] : [text];
    const output = [...rejected, ...[warning].flat()].join('\n');
    return { status: answer.statusCode, rules: explained(output), output };
  };
  const sure = async (...order: Parameters<typeof send>): Promise<void> => {
    const { status, output } = await send(...order);
    if (status >= 300 && status !== 404) throw new Error(`${order[0]} ${order[1]}: ${output}`);
  };
  return { send, sure, close: () => dispatcher.destroy() };
}

/** Starts an example cluster. Its namespace is that of the examples. */
export async function startExampleCluster(): Promise<ExampleCluster> {
  await using resources = new AsyncDisposableStack();
  const cluster = resources.use(await startAdmissionCluster());
  const webhook = resources.use(await startWebhook(cluster.flags));
  await cluster.plane.kubectl('create', 'namespace', 'shop');
  await cluster.inventory();
  await webhook.ready();
  cluster.route(webhook.port);
  await cluster.register({ change: patient });
  const { send, sure, close } = requestsOf(cluster);
  resources.defer(close);

  const remove = async (path: string): Promise<void> => {
    await sure('PATCH', path, { metadata: { finalizers: null } });
    await sure('DELETE', path);
  };
  const store = async (service: Service): Promise<string> => {
    const { namespace: name } = service.metadata;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await sure('PATCH', `${NAMESPACES}/${name}?${AS_APPLIED}`, namespace);
    const path = pathOf('Service', service);
    // The inventory of the webhook may lack the load balancer at first.
    await eventually(() => sure('PATCH', `${path}?${AS_APPLIED}`, service), 20);
    return path;
  };
  const names: string[] = [];
  const owned = resources.move();
  return {
    plane: cluster.plane,
    prepare: async ({ kind, examples }) => {
      await remove(pathOf(kind, wholeExample(kind, examples.right)));
      for (const path of names.splice(0)) await remove(path);
      await sure('DELETE', INVENTORY);
      await cluster.inventory(examples.cloud?.cluster);
      for (const [id, status] of Object.entries(examples.cloud?.loadBalancers ?? {})) {
        const object = { apiVersion: 'portcullis.io/v1alpha1', kind: 'ClassicLoadBalancer', metadata: { name: id } };
        await sure('PATCH', `${INVENTORY}/${id}?${AS_APPLIED}`, { ...object, status: aClbStatus(status) });
      }
      for (const service of exampleServices(examples)) names.push(await store(service));
      const stored = storedBefore(kind, examples);
      if (stored === undefined) return;
      const { status, ...object } = stored;
      await sure('PATCH', `${pathOf(kind, stored)}?${AS_APPLIED}`, object);
      if (status !== undefined) await sure('PATCH', `${pathOf(kind, stored)}/status`, { status });
    },
    apply: ({ kind, examples }, which) => {
      const object = wholeExample(kind, examples[which]);
      return send('PATCH', `${pathOf(kind, object)}?${AS_APPLIED}&dryRun=All`, object);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function pathOf(kind: string, object: object): string {
  const { name, namespace } = (object as Pick<Service, 'metadata'>).metadata;
  return kind === 'Node' ? `/api/v1/nodes/${name}` : `${NAMESPACES}/${namespace}/services/${name}`;
}
