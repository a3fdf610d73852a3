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
const PAIRS = 7;
const SECONDS = 6;
/** Seconds at the highest rate, so that the real requests of the API server are compiled too. */
const WARM_SECONDS = 4;
/** Seconds until compilation has mostly ended. After 2 s, a hundred functions of the webhook were still compiled during the measurement. */
const COMPILE_SECONDS = 8;
const CREATION = aReview({ object: RICH });
const UPDATE = aReview({
  object: RICH,
  oldObject: {
    ...RICH,
    metadata: { ...RICH.metadata, annotations: { ...RICH.metadata.annotations, [CATALOGUE.idleTimeout.key]: '20' } },
  },
});
/** The reviews that warm up a webhook before the measurement, by path, because the measured writes are too few to trigger the compiler. */
const WARM_REVIEWS = [
  { path: '/mutate', review: CREATION },
  { path: '/validate', review: CREATION },
  { path: '/validate', review: UPDATE },
];
/** The measured rate as a part of the sustained rate, so low that requests rarely wait. */
const LOAD_SHARE = 1 / 4;

/** Milliseconds that webhooks add to a write. */
export interface Added {
  /** The compared number, because pauses of the API server decide the mean. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Processor time of the webhook. */
  readonly cpuMs: number;
}

type Kind = 'creation' | 'update';
type AddedByKind = Readonly<Record<Kind, Added>>;

export interface ThroughCosts {
  /** Writes per second of all measurements. */
  readonly rate: number;
  /** The time that the webhook adds, relative to the constant webhooks: the median of the pairs. */
  readonly ratio: Readonly<Record<Kind, number>>;
  readonly webhook: AddedByKind;
  /** The costs of two webhooks with a constant response. They are called for every update, which shows what `SPARING_CONDITION` saves. */
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
  { seconds, rate = 0, phase = 0 }: { readonly seconds: number; readonly rate?: number; readonly phase?: number },
): Promise<LoadReport> {
  const { method, path, body, status } = WRITES[kind];
  return load.run({
    url: `${cluster.plane.server}/api/v1/namespaces/${namespace}/services${path}?dryRun=All`,
    method,
    body,
    seconds,
    rate,
    phase,
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

/** Measures writes with and without webhooks at the same time: a change of the processor's speed affects both. */
async function added(bench: Bench, kind: Kind, rate: number, { pid }: Serving): Promise<Added> {
  await write(bench, ON, kind, { seconds: WARM_SECONDS });
  const before = processorSeconds(pid);
  const options = { seconds: SECONDS, rate: rate / 2 };
  // The phases alternate the requests, because simultaneous requests would compete for the processors.
  const [off, on] = await Promise.all([
    write(bench, OFF, kind, { ...options, phase: 0 }),
    write(bench, ON, kind, { ...options, phase: 1 / 2 }),
  ]);
  const cpuMs = ((processorSeconds(pid) - before) / on.answered) * 1_000;
  return { medianMs: on.p50Ms - off.p50Ms, p99Ms: on.p99Ms - off.p99Ms, cpuMs };
}

/** A measured webhook: its process, and the change of its configuration for each kind of write. */
interface Candidate {
  readonly start: () => Promise<Serving>;
  readonly change: Readonly<Record<Kind, (hook: Hook) => Hook>>;
}

async function addedByKind(bench: Bench, { start, change }: Candidate, rate: number): Promise<AddedByKind> {
  await using serving = await start();
  bench.cluster.route(serving.port);
  await warm(bench, serving);
  const measure = async (kind: Kind): Promise<Added> => {
    await bench.cluster.register({ change: change[kind] });
    return added(bench, kind, rate, serving);
  };
  return { creation: await measure('creation'), update: await measure('update') };
}

/** Returns the median of the ratios within a pair, because the speed of the machine changes between pairs. */
const ratioOf = (webhook: readonly AddedByKind[], constant: readonly AddedByKind[], kind: Kind): number =>
  median(webhook.map((added, pair) => added[kind].medianMs / (constant[pair]?.[kind].medianMs ?? NaN)));

const medianOf = (all: readonly Added[]): Added => ({
  medianMs: median(all.map(({ medianMs }) => medianMs)),
  p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
  cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
});

const medianByKind = (all: readonly AddedByKind[]): AddedByKind => ({
  creation: medianOf(all.map(({ creation }) => creation)),
  update: medianOf(all.map(({ update }) => update)),
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
    start: () => startConstant(cluster.flags),
    change: { creation: strict, update: calledForEveryWrite },
  };
  const webhook: Candidate = { start: () => startWebhook(cluster.flags), change: { creation: strict, update: strict } };
  const rate = await sustained(bench, constant);
  const all: { constant: AddedByKind[]; webhook: AddedByKind[] } = { constant: [], webhook: [] };
  for (let number = 0; number < PAIRS; number += 1) {
    // The order alternates, because a machine that slows down would favor the first.
    const measureConstant = async () => all.constant.push(await addedByKind(bench, constant, rate));
    const measureWebhook = async () => all.webhook.push(await addedByKind(bench, webhook, rate));
    for (const measure of number % 2 === 0 ? [measureConstant, measureWebhook] : [measureWebhook, measureConstant])
      await measure();
  }
  const ratio = {
    creation: ratioOf(all.webhook, all.constant, 'creation'),
    update: ratioOf(all.webhook, all.constant, 'update'),
  };
  return { rate, ratio, webhook: medianByKind(all.webhook), constant: medianByKind(all.constant) };
}

/** Returns the rate of all measurements: a part of the rate that the API server sustains with the constant webhooks. */
async function sustained(bench: Bench, { start, change }: Candidate): Promise<number> {
  await using serving = await start();
  bench.cluster.route(serving.port);
  await bench.cluster.register({ change: change.creation });
  await write(bench, ON, 'creation', { seconds: WARM_SECONDS });
  const { answered, seconds } = await write(bench, ON, 'creation', { seconds: SECONDS });
  return Math.floor((answered / seconds) * LOAD_SHARE);
}
