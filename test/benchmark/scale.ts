import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from './figure.ts';
import { LOOK_EVERY_MS, startLargeSandbox, until, type LargeSandbox, type Started } from './large-sandbox.ts';
import type { Size } from './synthetic/names.ts';

const SIZE: Size = { nodes: 5_000, services: 10_000, podsPerService: 15 };
/** Seconds of a cluster that is as busy as one of that size is. */
const STEADY_SECONDS = 50;
/** Seconds before that, in which what the start has left behind goes, and the first pass over the region is made. */
const CALM_SECONDS = 10;
/** What the process's own measure counts beside the lag: the time between two looks. */
const LOOK_MS = 10;
const MIB = 2 ** 20;

type Look = Awaited<ReturnType<Started['look']>>;

const lagOf = (look: Look, which: 'p99' | 'max'): number =>
  look(`nodejs_eventloop_lag_${which}_seconds`) * 1000 - LOOK_MS;
const residentOf = (look: Look): number => look('process_resident_memory_bytes') / MIB;
const processorSecondsOf = (look: Look): number => look('process_cpu_seconds_total');
const secondsSince = ({ startedAtMs }: Started): number => (performance.now() - startedAtMs) / 1000;

/** Whether every Service has had its first turn. */
const isAtRest = (look: Look): boolean =>
  look('controller_runtime_reconcile_total{controller="service",result="requeue_after"}') >= SIZE.services &&
  look('workqueue_depth{name="service"}') === 0;

/** What was written but the Lease and when the region was looked through. */
async function writesOf(sandbox: LargeSandbox): Promise<number> {
  const { writes = [] } = await sandbox.ask('writes');
  return writes.filter((write) => !/^\S+ (leases|cloudinventories) /.test(write)).length;
}

/** From the start until there is nothing to do. */
async function start(sandbox: LargeSandbox, controller: Started): Promise<readonly Figure[]> {
  await until('the controller is ready', controller.isReady);
  const readyS = secondsSince(controller);
  const first = await controller.look();
  const all = async (): Promise<boolean> => isAtRest(await controller.look());
  await until('all Services have had a turn', all, { everyMs: LOOK_EVERY_MS });
  const restS = secondsSince(controller);
  const processorS = processorSecondsOf(await controller.look());
  const calls = (await sandbox.journal()).filter(({ userAgent }) => !userAgent.includes('inventory'));
  return [
    { name: 'controller: start to ready', value: readyS, unit: 's' },
    { name: 'the same: resident then', value: residentOf(first), unit: 'MiB' },
    { name: 'the same: event-loop lag, p99', value: lagOf(first, 'p99'), unit: 'ms' },
    { name: 'the same: longest lag', value: lagOf(first, 'max'), unit: 'ms' },
    { name: 'controller: start to all looked at and nothing to do', value: restS, unit: 's', limit: 15 },
    { name: 'the same: processor time', value: processorS, unit: 's' },
    { name: 'the same: calls, a thousand Services', value: (1000 * calls.length) / SIZE.services, unit: '', limit: 30 },
  ];
}

/** In a cluster as busy as one of its size is, where nothing of it matters. */
async function steady(sandbox: LargeSandbox, controller: Started): Promise<readonly Figure[]> {
  await delay(CALM_SECONDS * 1000);
  await sandbox.ask('writes');
  await sandbox.ask('churn');
  const before = await controller.look();
  await delay(STEADY_SECONDS * 1000);
  const after = await controller.look();
  const used = (processorSecondsOf(after) - processorSecondsOf(before)) / STEADY_SECONDS;
  return [
    { name: 'controller: resident', value: residentOf(after), unit: 'MiB', limit: 256 },
    { name: 'controller: event-loop lag, p99', value: lagOf(after, 'p99'), unit: 'ms', limit: 20 },
    { name: 'controller: longest lag', value: lagOf(after, 'max'), unit: 'ms' },
    { name: 'controller: processor time', value: 100 * used, unit: '% of a core' },
    { name: 'writes to the API server but for the Lease', value: await writesOf(sandbox), unit: '', limit: 0 },
  ];
}

/** A restart in a large cluster in which nothing is to be done, and what follows. */
export async function scaleFigures(): Promise<readonly Figure[]> {
  await using sandbox = await startLargeSandbox(SIZE);
  await using controller = await sandbox.start();
  const started = await start(sandbox, controller);
  return [...started, ...(await steady(sandbox, controller))];
}
