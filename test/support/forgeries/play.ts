import assert from 'node:assert/strict';
import { LOAD_BALANCER_BINDINGS } from '../../../src/inventory/binding.ts';
import { randomOf, type Random } from '../../fuzz/random.ts';
import { AN_AUDIT_MS, aCluster, keyOf, objectKey, SERVICES, type Cluster } from '../simulated-cluster.ts';
import type { ControllerProcess } from '../simulated-controller.ts';
import { annotated } from '../running-controller.ts';
import { aService } from '../service.ts';
import type { ObjectKey } from '../../../src/base/kubernetes-objects.ts';
import { nextForgery, type Forgery, type Targets } from './forgery.ts';

const SHARED = {
  id: 'lb-shared',
  name: 'shared',
  address: '47.1.1.1',
  listeners: [{ port: 22, protocol: 'tcp', attributes: { VServerGroupId: 'rsp-user' } }],
  serverGroups: [{ id: 'rsp-user', name: 'of-a-user', backends: [] }],
};
const VICTIMS = {
  vault: { uid: 'aaaaaaaa-0000-4000-8000-000000000001', annotations: {} },
  teller: {
    uid: 'aaaaaaab-0000-4000-8000-000000000002',
    annotations: annotated({ id: SHARED.id, 'force-override-listeners': 'true' }),
  },
};
/** Services of the tenant. */
const NAMES = ['web', 'pay'] as const;
const FORGERIES = { least: 4, more: 10 };
/** Milliseconds within which cleanup finishes: pending operations end, and lists are complete. */
const CLEANUP_MS = 30 * 60_000;

/** A history in which a tenant of namespace `shop` writes arbitrary steps. */
class History {
  readonly cluster: Cluster = aCluster({ readingMs: Infinity });
  readonly steps: string[] = [];
  readonly #random: Random;
  #process: ControllerProcess;
  #uids = 0;

  constructor(random: Random) {
    this.#random = random;
    this.cluster.simulator.seed({ loadBalancers: [SHARED] });
    this.#process = this.cluster.start();
  }

  /** Creates and syncs the Services of another namespace. Returns the load balancers that the tenant can name. */
  async begin(): Promise<Targets> {
    const { cluster } = this;
    for (const [name, input] of Object.entries(VICTIMS))
      cluster.kubernetes.put(SERVICES, aService({ ...input, name, namespace: 'bank', ports: [443] }));
    await cluster.quiet();
    const [ingress] = cluster.service('vault', 'bank')?.status?.loadBalancer?.ingress ?? [];
    const foreign = cluster.binding('vault', 'bank')?.spec.loadBalancer?.id ?? assert.fail();
    for (const name of NAMES) this.#create(name);
    return {
      shared: SHARED.id,
      sharedGroup: 'rsp-user',
      sharedAddress: SHARED.address,
      foreign,
      foreignAddress: ingress?.ip ?? '',
    };
  }

  async forge(targets: Targets): Promise<void> {
    const count = FORGERIES.least + this.#random.below(FORGERIES.more);
    for (let at = 0; at < count; at += 1)
      await this.#take(nextForgery(this.#random, targets), this.#random.pick(NAMES));
  }

  /** Deletes the tenant's Services, and waits for the cleanup. */
  async end(): Promise<void> {
    const left = NAMES.filter((name) => this.cluster.service(name) !== undefined);
    for (const name of left) this.cluster.kubernetes.delete(SERVICES, objectKey(name, 'shop'));
    await this.cluster.quiet(CLEANUP_MS);
    await this.cluster.quiet(AN_AUDIT_MS);
    await this.#process.stop();
  }

  #create(name: string): void {
    this.#uids += 1;
    const uid = `${String(this.#uids).padStart(8, 'b')}-0000-4000-8000-000000000000`;
    const port = name === 'web' ? 80 : 8080;
    this.cluster.kubernetes.put(SERVICES, aService({ name, uid, ports: [port] }));
  }

  async #take(forgery: Forgery, name: string): Promise<void> {
    this.steps.push(`${name}: ${JSON.stringify(forgery)}`);
    const stored = this.cluster.service(name);
    if (forgery.kind === 'wait') await this.cluster.quiet(forgery.ms);
    else if (forgery.kind === 'restart') await this.#restart();
    else if (stored !== undefined) this.#change(forgery, keyOf(stored));
    else if (forgery.kind === 'create') this.#create(name);
  }

  async #restart(): Promise<void> {
    await this.#process.stop();
    this.#process = this.cluster.start();
  }

  #change(forgery: Forgery, key: ObjectKey): void {
    const { kubernetes } = this.cluster;
    if (forgery.kind === 'patch') kubernetes.patch(SERVICES, key, forgery.patch);
    if (forgery.kind === 'status')
      kubernetes.patch(SERVICES, key, { status: { loadBalancer: { ingress: forgery.ingress } } });
    if (forgery.kind === 'delete-without-finalizer')
      kubernetes.patch(SERVICES, key, { metadata: { finalizers: null } });
    const isDeletion = forgery.kind === 'delete' || forgery.kind === 'delete-without-finalizer';
    if (isDeletion && kubernetes.get(SERVICES, key) !== undefined) kubernetes.delete(SERVICES, key);
  }
}

/** Returns the state of all load balancers. */
const pictureOf = ({ cluster }: History): unknown =>
  structuredClone(Reflect.get(cluster.simulator.state(), 'loadBalancers'));

const OF_TENANT = /k8s\/\d+\/(?:web|pay)\/shop\//;

/** Returns what is wrong after the cleanup of a tenant's Services: changes of other resources, or remains. Empty if nothing is wrong. */
function wrongIn(history: History, before: unknown): readonly string[] {
  const { cluster } = history;
  const after = pictureOf(history);
  const left = cluster.kubernetes.all(LOAD_BALANCER_BINDINGS).filter(({ spec }) => spec.service.namespace === 'shop');
  const services = NAMES.filter((name) => cluster.service(name) !== undefined);
  const stands = Object.keys(VICTIMS).map((name) => [name, ...readinessOf(cluster, name)].join(' '));
  return [
    ...(JSON.stringify(after) === JSON.stringify(before) ? [] : [`the cloud has ${difference(before, after)}`]),
    ...(OF_TENANT.test(JSON.stringify(after)) ? ['listeners, groups or backends of the tenant are left'] : []),
    ...left.map(({ metadata, spec }) => `binding ${metadata.name} of ${spec.service.name} is left`),
    ...services.map((name) => `Service ${name} is left`),
    ...stands.filter((text) => !text.includes(' True ')),
  ];
}

const readinessOf = (cluster: Cluster, name: string): readonly (string | undefined)[] => {
  const all = cluster.service(name, 'bank')?.status?.conditions ?? [];
  const condition = all.find(({ type }) => type === 'LoadBalancerReady');
  return [condition?.status, condition?.reason];
};

const difference = (before: unknown, after: unknown): string =>
  `${JSON.stringify(after, undefined, 1)} in place of ${JSON.stringify(before, undefined, 1)}`;

/** Plays history `number` of a run with `seed`, for the suites faults and soak. Rejects with the steps if `wrongIn` finds anything. */
export async function playForgeries(seed: number, number: number): Promise<void> {
  const history = new History(randomOf(seed, number));
  const targets = await history.begin();
  const before = pictureOf(history);
  await history.cluster.quiet();
  await history.forge(targets);
  await history.end();
  const wrong = wrongIn(history, before);
  assert.deepEqual(wrong, [], `history ${number} of seed ${seed}:\n${history.steps.join('\n')}\n${wrong.join('\n')}`);
}
