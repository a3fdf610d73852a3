import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAdmissionCluster, type AdmissionCluster } from '../support/admission-cluster.ts';
import { aReview } from '../support/review.ts';
import { median } from './figure.ts';
import { buildLoad, type Load, type LoadReport } from './load.ts';
import { processorSeconds } from './processor-time.ts';
import { RICH } from './rich-service.ts';
import { startConstant, startWebhook, type Serving } from './serving.ts';

/** Namespaces whose writes reach the webhook, and do not reach it. */
const [ON, OFF] = ['asked', 'spared'];
const PAIRS = 7;
/** Seconds of a measurement, long enough for a stable 99th percentile. */
const SECONDS = 10;
const WARM_SECONDS = 2;
/** Seconds until compilation has mostly ended. After 2 s, a hundred functions of the webhook were still compiled during the measurement. */
const COMPILE_SECONDS = 8;
/** Reviews sent directly to a webhook until it is compiled like one that ran for an hour. The measured writes are too few for that. */
const WARM_REVIEWS = JSON.stringify(aReview({ object: RICH }));
/** Part of the sustained rate at which waiting is still rare. */
const LOAD_SHARE = 1 / 4;

/** Costs that a webhook adds to a write: milliseconds, and milliseconds of processor time of the API server and the webhook. */
export interface Added {
  readonly meanMs: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
}

export interface ThroughCosts {
  /** Writes per second of both measurements. */
  readonly rate: number;
  readonly webhook: Added;
  /** A webhook with a constant answer. */
  readonly constant: Added;
}

interface Bench {
  readonly cluster: AdmissionCluster;
  readonly load: Load;
  readonly client: { readonly certificate: string; readonly key: string };
}

const BODY = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { generateName: 'load-', annotations: RICH.metadata.annotations },
  spec: RICH.spec,
});

const write = ({ cluster, load, client }: Bench, namespace: string, seconds: number, rate = 0): Promise<LoadReport> =>
  load.run({
    url: `${cluster.plane.server}/api/v1/namespaces/${namespace}/services?dryRun=All`,
    body: BODY,
    seconds,
    rate,
    status: 201,
    contains: '"kind":"Service"',
    client,
  });

/** Measures one round at a rate, with the processor time per write. */
async function turn(bench: Bench, namespace: string, rate: number, { pid }: Serving): Promise<Added> {
  const used = (): number => processorSeconds(bench.cluster.plane.apiServerPid()) + processorSeconds(pid);
  const before = used();
  const { meanMs, p99Ms, answered } = await write(bench, namespace, SECONDS, rate);
  return { meanMs, p99Ms, cpuMs: ((used() - before) / answered) * 1_000 };
}

async function warm({ load }: Bench, { url }: Serving): Promise<void> {
  for (const path of [url, url.replace('/validate', '/mutate')])
    await load.run({ url: path, body: WARM_REVIEWS, seconds: COMPILE_SECONDS, rate: 0, contains: '"allowed":true' });
}

/** Measures the costs that a webhook adds: a round without the webhook, and a round with it. */
async function pair(bench: Bench, start: () => Promise<Serving>, rate: number): Promise<Added> {
  await using serving = await start();
  bench.cluster.route(serving.port);
  await warm(bench, serving);
  await write(bench, ON, WARM_SECONDS);
  const off = await turn(bench, OFF, rate, serving);
  const on = await turn(bench, ON, rate, serving);
  return { meanMs: on.meanMs - off.meanMs, p99Ms: on.p99Ms - off.p99Ms, cpuMs: on.cpuMs - off.cpuMs };
}

const middle = (turns: readonly Added[]): Added => ({
  meanMs: median(turns.map(({ meanMs }) => meanMs)),
  p99Ms: median(turns.map(({ p99Ms }) => p99Ms)),
  cpuMs: median(turns.map(({ cpuMs }) => cpuMs)),
});

async function prepare(cluster: AdmissionCluster): Promise<void> {
  await cluster.plane.kubectl('create', 'namespace', ON);
  await cluster.plane.kubectl('create', 'namespace', OFF);
  // A write that is allowed because the webhook does not answer would count as a fast one.
  const change = (hook: Record<string, unknown>) => ({
    ...hook,
    failurePolicy: 'Fail',
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ON } },
  });
  await cluster.register({ change });
}

/** Measures dry-run writes of a Service with 22 annotations through a real API server, with the shipped configurations. */
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
  const kinds = {
    constant: () => startConstant(cluster.flags),
    webhook: () => startWebhook(cluster.flags),
  };
  const rate = await sustained(bench, kinds.constant);
  const turns: { constant: Added[]; webhook: Added[] } = { constant: [], webhook: [] };
  for (let number = 0; number < PAIRS; number += 1) {
    turns.constant.push(await pair(bench, kinds.constant, rate));
    turns.webhook.push(await pair(bench, kinds.webhook, rate));
  }
  return { rate, webhook: middle(turns.webhook), constant: middle(turns.constant) };
}

/** Returns the rate of both measurements, from the rate that the API server sustains with a nearly free webhook. */
async function sustained(bench: Bench, start: () => Promise<Serving>): Promise<number> {
  await using serving = await start();
  bench.cluster.route(serving.port);
  await write(bench, ON, WARM_SECONDS);
  const { answered, seconds } = await write(bench, ON, SECONDS);
  return Math.floor((answered / seconds) * LOAD_SHARE);
}
