import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { CATALOGUE } from '../../src/annotation/catalogue.ts';
import { startAdmissionCluster, type AdmissionCluster } from '../support/admission-cluster.ts';
import { aReview } from '../support/review.ts';
import { median } from './figure.ts';
import { buildLoad, type Load, type LoadReport } from './load-client.ts';
import { processorSeconds } from './processor-time.ts';
import { RICH } from './rich-service.ts';
import { startConstant, startWebhook, type Serving } from './serving.ts';

/** The namespace whose writes reach the webhook, and the namespace whose writes do not. */
const [ON, OFF] = ['asked', 'spared'];
/** The measurements of each webhook and kind of write. They alternate, so that a slow minute of the machine affects both webhooks. */
const ROUNDS = 11;
const SECONDS = 4;
/** Seconds at the highest rate before each measurement, so that the connections of the API server to the webhook are open. */
const WARM_SECONDS = 1;
/** Seconds until compilation has mostly ended. After 2 s, a hundred functions of the webhook were still compiled during the measurement. */
const COMPILE_SECONDS = 8;
/** The reviews that warm up a webhook before the measurement, by path. The measured writes are too few to trigger the compiler. */
const CREATION = aReview({ object: RICH });
const UPDATE = aReview({
  object: RICH,
  oldObject: {
    ...RICH,
    metadata: { ...RICH.metadata, annotations: { ...RICH.metadata.annotations, [CATALOGUE.idleTimeout.key]: '20' } },
  },
});
const WARM_REVIEWS = [
  { path: '/mutate', review: CREATION },
  { path: '/validate', review: CREATION },
  { path: '/validate', review: UPDATE },
];
/** The least processor time of a called webhook for a write, in milliseconds. A webhook that is not called uses a tenth of this time. */
const IDLE_CPU_MS = 0.5;
/** The measured rate as a part of the sustained rate. At this rate, requests rarely wait. */
const LOAD_SHARE = 1 / 4;

/**
 * Milliseconds that webhooks add to a write, and milliseconds of processor time of the webhook.
 * The median is compared, because pauses of the API server decide the mean.
 */
export interface Added {
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
}

type Kind = 'creation' | 'update';
type AddedByKind = Readonly<Record<Kind, Added>>;

export interface ThroughCosts {
  /** Writes per second of all measurements. */
  readonly rate: number;
  /** The time that the webhook adds, relative to the constant webhooks: the median of the rounds. */
  readonly ratio: Readonly<Record<Kind, number>>;
  readonly webhook: AddedByKind;
  /**
   * The costs of a mutating and a validating webhook whose response is constant. They have the shipped match conditions, except the condition that
   * spares most updates the call of the mutating webhook. The comparison of updates thus includes what this condition saves.
   */
  readonly constant: AddedByKind;
}

interface Bench {
  readonly cluster: AdmissionCluster;
  readonly load: Load;
  readonly client: { readonly certificate: string; readonly key: string };
}

/** The Service that updates change. */
const NAME = 'updated';
/** The spec without node ports, because two Services cannot have one node port. */
const SPEC = { ...RICH.spec, ports: (RICH.spec?.ports ?? []).map(({ nodePort: _, ...port }) => port) };
const SERVICE = { apiVersion: 'v1', kind: 'Service', spec: SPEC };
const { annotations } = RICH.metadata;

const WRITES = {
  creation: {
    method: 'POST',
    path: '',
    body: JSON.stringify({ ...SERVICE, metadata: { generateName: 'load-', annotations } }),
    status: 201,
  },
  // The changed annotation makes the webhook evaluate the new and the stored Service.
  update: {
    method: 'PUT',
    path: `/${NAME}`,
    body: JSON.stringify({
      ...SERVICE,
      metadata: { name: NAME, annotations: { ...annotations, [CATALOGUE.idleTimeout.key]: '20' } },
    }),
    status: 200,
  },
} as const satisfies Readonly<Record<Kind, object>>;

function write(
  { cluster, load, client }: Bench,
  namespace: string,
  kind: Kind,
  { seconds, rate = 0 }: { readonly seconds: number; readonly rate?: number },
): Promise<LoadReport> {
  const { method, path, body, status } = WRITES[kind];
  return load.run({
    url: `${cluster.plane.server}/api/v1/namespaces/${namespace}/services${path}?dryRun=All`,
    method,
    body,
    seconds,
    rate,
    status,
    contains: '"kind":"Service"',
    client,
  });
}

async function warm({ load }: Bench, { url }: Serving): Promise<void> {
  for (const { path, review } of WARM_REVIEWS)
    await load.run({
      url: url.replace('/validate', path),
      body: JSON.stringify(review),
      seconds: COMPILE_SECONDS,
      rate: 0,
      contains: '"allowed":true',
    });
}

type Hook = Record<string, unknown>;

// With the failure policy Ignore, a write without a response of the webhook would count as fast.
const strict = (hook: Hook): Hook => ({
  ...hook,
  failurePolicy: 'Fail',
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ON } },
});

/** The match condition that selects only the writes that the mutating webhook can change. */
const SPARING_CONDITION = 'can-be-changed';

/** Returns a webhook that the API server calls for every write of a load balancer Service. */
function calledForEveryWrite({ matchConditions, ...hook }: Hook): Hook {
  const conditions = z.array(z.looseObject({ name: z.string() })).parse(matchConditions);
  return strict({ ...hook, matchConditions: conditions.filter(({ name }) => name !== SPARING_CONDITION) });
}

/** Measures writes with and without webhooks at the same time, so that a change of the processor's speed affects both. */
async function added(bench: Bench, kind: Kind, rate: number, { pid }: Serving): Promise<Added> {
  await write(bench, ON, kind, { seconds: WARM_SECONDS });
  const before = processorSeconds(pid);
  const options = { seconds: SECONDS, rate: rate / 2 };
  const [off, on] = await Promise.all([write(bench, OFF, kind, options), write(bench, ON, kind, options)]);
  const cpuMs = ((processorSeconds(pid) - before) / on.answered) * 1_000;
  if (cpuMs < IDLE_CPU_MS) throw new Error('the API server does not call the measured webhook');
  return { medianMs: on.p50Ms - off.p50Ms, p99Ms: on.p99Ms - off.p99Ms, cpuMs };
}

/** A running webhook that is measured, and the change of its configuration for each kind of write. */
interface Candidate {
  readonly serving: Serving;
  readonly change: Readonly<Record<Kind, (hook: Hook) => Hook>>;
  readonly results: Readonly<Record<Kind, Added[]>>;
}

async function use({ cluster }: Bench, { serving, change }: Candidate, kind: Kind): Promise<void> {
  cluster.route(serving.port);
  cluster.disconnect();
  await cluster.register({ change: change[kind] });
}

async function measure(bench: Bench, candidate: Candidate, kind: Kind, rate: number): Promise<void> {
  const { serving, results } = candidate;
  await use(bench, candidate, kind);
  results[kind].push(await added(bench, kind, rate, serving));
}

const medianOf = (all: readonly Added[]): Added => ({
  medianMs: median(all.map(({ medianMs }) => medianMs)),
  p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
  cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
});

/** Compares the measurements of each round, because they follow each other directly. */
const ratioOf = (webhook: Candidate, constant: Candidate, kind: Kind): number =>
  median(
    webhook.results[kind].map(({ medianMs }, round) => medianMs / (constant.results[kind][round]?.medianMs ?? NaN)),
  );

const mediansOf = ({ results }: Candidate): AddedByKind => ({
  creation: medianOf(results.creation),
  update: medianOf(results.update),
});

async function prepare({ plane }: AdmissionCluster): Promise<void> {
  for (const namespace of [ON, OFF]) {
    await plane.kubectl('create', 'namespace', namespace);
    await plane.client.create(`/api/v1/namespaces/${namespace}/services`, {
      ...SERVICE,
      metadata: { name: NAME, namespace, annotations },
    });
  }
}

/** Measures dry-run writes of a Service with 22 annotations through a real API server. The benchmark `through` of run.ts calls it. */
export async function throughCosts(): Promise<ThroughCosts> {
  await using resources = new AsyncDisposableStack();
  const cluster = resources.use(await startAdmissionCluster());
  const load = resources.use(await buildLoad());
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-through-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const client = { certificate: join(folder, 'client.crt'), key: join(folder, 'client.key') };
  writeFileSync(client.certificate, cluster.plane.administrator.certificate);
  writeFileSync(client.key, cluster.plane.administrator.key, { mode: 0o600 });
  const bench = { cluster, load, client };
  await prepare(cluster);
  const constant: Candidate = {
    serving: resources.use(await startConstant(cluster.flags)),
    change: { creation: strict, update: calledForEveryWrite },
    results: { creation: [], update: [] },
  };
  const webhook: Candidate = {
    serving: resources.use(await startWebhook(cluster.flags)),
    change: { creation: strict, update: strict },
    results: { creation: [], update: [] },
  };
  for (const { serving } of [constant, webhook]) await warm(bench, serving);
  const rate = await sustained(bench, constant);
  for (let round = 0; round < ROUNDS; round += 1) {
    // The order alternates, because a machine that slows down would favor the first.
    const order = round % 2 === 0 ? [constant, webhook] : [webhook, constant];
    for (const kind of ['creation', 'update'] as const)
      for (const candidate of order) await measure(bench, candidate, kind, rate);
  }
  const ratio = { creation: ratioOf(webhook, constant, 'creation'), update: ratioOf(webhook, constant, 'update') };
  return { rate, ratio, webhook: mediansOf(webhook), constant: mediansOf(constant) };
}

/** Returns the rate of all measurements. It is a part of the rate that the API server sustains with the constant webhooks. */
async function sustained(bench: Bench, candidate: Candidate): Promise<number> {
  await use(bench, candidate, 'creation');
  await write(bench, ON, 'creation', { seconds: WARM_SECONDS });
  const { answered, seconds } = await write(bench, ON, 'creation', { seconds: SECONDS });
  return Math.floor((answered / seconds) * LOAD_SHARE);
}
