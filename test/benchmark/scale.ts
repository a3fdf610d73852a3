import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from './figure.ts';
import { startLargeSandbox, until, type LargeSandbox, type Started } from './large-sandbox.ts';
import type { Size } from './synthetic/names.ts';

const SIZE: Size = { nodes: 5_000, services: 10_000, podsPerService: 15 };
/** Seconds of measurement under the usual events of such a cluster. */
const STEADY_SECONDS = 50;
/** Seconds before the measurement, in which start-up work ends and the inventory reads the region once. */
const CALM_SECONDS = 10;
/** Milliseconds between two samples of the event loop. The lag metric includes this interval, so `lagOf` subtracts it. */
const SAMPLE_MS = 10;
const MIB = 2 ** 20;
/** Milliseconds between two scrapes during the start, which more scrapes would slow: each costs the measured process about 10 ms. */
const POLL_MS = 500;

type Metrics = Awaited<ReturnType<Started['readMetrics']>>;

const lagOf = (metrics: Metrics, which: 'p99' | 'max'): number =>
  metrics(`nodejs_eventloop_lag_${which}_seconds`) * 1000 - SAMPLE_MS;
const residentOf = (metrics: Metrics): number => metrics('process_resident_memory_bytes') / MIB;
const processorSecondsOf = (metrics: Metrics): number => metrics('process_cpu_seconds_total');
const secondsSince = ({ startedAtMs }: Started): number => (performance.now() - startedAtMs) / 1000;

/** Returns whether every Service was reconciled once. */
const isAtRest = (metrics: Metrics): boolean =>
  metrics('controller_runtime_reconcile_total{controller="service",result="requeue_after"}') >= SIZE.services &&
  metrics('workqueue_depth{name="service"}') === 0;

/** Returns the number of writes except those of the Lease and of the inventory's timestamp. */
async function writesOf(sandbox: LargeSandbox): Promise<number> {
  const { writes = [] } = await sandbox.ask('writes');
  return writes.filter((write) => !/^\S+ (leases|cloudinventories) /.test(write)).length;
}

/** Measures from the start until the controller is idle. */
async function start(sandbox: LargeSandbox, controller: Started): Promise<readonly Figure[]> {
  await until('the controller is ready', controller.isReady);
  const readyS = secondsSince(controller);
  const first = await controller.readMetrics();
  const all = async (): Promise<boolean> => isAtRest(await controller.readMetrics());
  await until('all Services are reconciled', all, { everyMs: POLL_MS });
  const restS = secondsSince(controller);
  const processorS = processorSecondsOf(await controller.readMetrics());
  const calls = (await sandbox.journal()).filter(({ userAgent }) => !userAgent.includes('inventory'));
  return [
    { name: 'start until ready', value: readyS, unit: 's' },
    { name: 'start: resident memory when ready', value: residentOf(first), unit: 'MiB' },
    { name: 'start: event-loop lag, p99', value: lagOf(first, 'p99'), unit: 'ms' },
    { name: 'start: longest event-loop lag', value: lagOf(first, 'max'), unit: 'ms' },
    { name: 'start until all Services are reconciled', value: restS, unit: 's', limit: 15 },
    { name: 'start: processor time', value: processorS, unit: 's' },
    {
      name: 'start: cloud calls for 1,000 Services',
      value: (1000 * calls.length) / SIZE.services,
      unit: '',
      limit: 30,
    },
  ];
}

/** Measures the controller under the usual events of such a cluster, none of which needs a change. */
async function steady(sandbox: LargeSandbox, controller: Started): Promise<readonly Figure[]> {
  await delay(CALM_SECONDS * 1000);
  await sandbox.ask('writes');
  await sandbox.ask('churn');
  const before = await controller.readMetrics();
  await delay(STEADY_SECONDS * 1000);
  const after = await controller.readMetrics();
  const used = (processorSecondsOf(after) - processorSecondsOf(before)) / STEADY_SECONDS;
  return [
    { name: 'at rest: resident memory', value: residentOf(after), unit: 'MiB', limit: 256 },
    { name: 'at rest: event-loop lag, p99', value: lagOf(after, 'p99'), unit: 'ms', limit: 20 },
    { name: 'at rest: longest event-loop lag', value: lagOf(after, 'max'), unit: 'ms' },
    { name: 'at rest: processor time', value: 100 * used, unit: '% of a core' },
    {
      name: 'at rest: writes to the API server, except for the Lease',
      value: await writesOf(sandbox),
      unit: '',
      limit: 0,
    },
  ];
}

/** Measures a restart in a large synced cluster, and the time after it. The benchmark `scale` of run.ts calls it. */
export async function scaleFigures(): Promise<readonly Figure[]> {
  await using sandbox = await startLargeSandbox(SIZE);
  await using controller = await sandbox.start();
  const started = await start(sandbox, controller);
  return [...started, ...(await steady(sandbox, controller))];
}
