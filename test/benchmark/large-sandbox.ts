import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { freePorts } from '../../src/local/free-ports.ts';
import type { JournalEntry } from '../../src/local/simulator/simulator.ts';
import { ACCESS_KEY } from '../support/simulator.ts';
import { shippedEnvironment } from '../support/shipped-deployment.ts';
import { writeKubeconfig } from './serving.ts';
import { CLUSTER_CIDR, REGION, SETTINGS, type Size } from './synthetic/names.ts';
import type { Asking, ReadyMessage } from './synthetic/main.ts';

/** The programs of the processes: a synthetic API server, the simulator, and the shipped controller. */
const API_SERVER = join(import.meta.dirname, 'synthetic/main.ts');
const SIMULATOR = join(import.meta.dirname, '../../dist/src/local/simulator/main.js');
const MAIN = join(import.meta.dirname, '../../dist/src/main.js');
const POLL_MS = 100;
const PATIENCE_MS = 100_000;

/** A large synced cluster: an API server and a simulated cloud, each in its own process. `start` adds the shipped controller. */
export interface LargeSandbox extends AsyncDisposable {
  /** Sends a request to the API server process, and returns its answer. */
  readonly ask: (asking: Asking) => Promise<ReadyMessage>;
  /** Returns the cloud calls so far. */
  readonly journal: () => Promise<readonly JournalEntry[]>;
  readonly start: () => Promise<Started>;
}

/** A started controller. */
export interface Started extends AsyncDisposable {
  /** Start time, by `performance.now()`. */
  readonly startedAtMs: number;
  readonly isReady: () => Promise<boolean>;
  /** Returns a metric by name and labels, as in `/metrics`. Returns NaN for a missing metric. A read resets the event loop lag. */
  readonly readMetrics: () => Promise<(name: string) => number>;
}

/** Waits until a condition is true. */
export async function until(
  what: string,
  isSo: () => Promise<boolean>,
  { child, everyMs = POLL_MS }: { readonly child?: ChildProcess; readonly everyMs?: number } = {},
): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if ((child !== undefined && child.exitCode !== null) || performance.now() > end)
      throw new Error(`timed out waiting until ${what}`);
    await delay(everyMs);
  }
}

const stopped = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null) return;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
};

/** Starts the API server and the cloud of the benchmark `scale`, in which all Services are already synced. */
export async function startLargeSandbox({ nodes, services, podsPerService }: Size): Promise<LargeSandbox> {
  await using resources = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-large-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [seed, ready, kubeconfig, config] = ['seed', 'ready', 'kubeconfig', 'config'].map((name) => join(folder, name));
  const api = fork(API_SERVER, [nodes, services, podsPerService, seed].map(String));
  resources.defer(() => stopped(api, 'SIGKILL'));
  const [{ port = 0 }] = (await once(api, 'message')) as [ReadyMessage];
  writeKubeconfig(kubeconfig ?? '', `http://127.0.0.1:${port}`);
  const global = { clusterID: SETTINGS.clusterId, region: REGION, vpcid: SETTINGS.vpcId, vswitchid: 'vsw-1' };
  writeFileSync(config ?? '', JSON.stringify({ Global: global }));
  const cloudSettings = { loadBalancers: 2 * services, routesPerTable: 2 * nodes, backendsPerLoadBalancer: 1_000 };
  const files = [`--ready-file=${ready}`, `--seed-file=${seed}`, `--settings=${JSON.stringify(cloudSettings)}`];
  const key = { ACCESS_KEY_ID: ACCESS_KEY.id, ACCESS_KEY_SECRET: ACCESS_KEY.secret };
  const cloud = spawn(process.execPath, [SIMULATOR, ...files], { stdio: ['ignore', 'ignore', 'inherit'], env: key });
  resources.defer(() => stopped(cloud, 'SIGKILL'));
  await until('the simulator listens', async () => existsSync(ready ?? ''), { child: cloud });
  const url = readFileSync(ready ?? '', 'utf8').trim();
  const { host } = new URL(url);
  const endpoints = { SLB_ENDPOINT: host, VPC_ENDPOINT: host, ECS_ENDPOINT: host, ALICLOUD_CLIENT_SCHEME: 'HTTP' };
  const flags = [`--kubeconfig=${kubeconfig}`, `--cloud-config=${config}`, `--cluster-cidr=${CLUSTER_CIDR}`];
  const owned = resources.move();
  return {
    ask: async (asking) => {
      api.send(asking);
      return asking === 'writes' ? ((await once(api, 'message')) as [ReadyMessage])[0] : {};
    },
    journal: async () => (await (await fetch(`${url}/_simulator/journal`)).json()) as JournalEntry[],
    start: () => startController(flags, { ...key, ...endpoints, ...shippedEnvironment('controller') }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function startController(flags: readonly string[], env: Readonly<Record<string, string>>): Promise<Started> {
  const [port = 0] = await freePorts(1);
  const probes = `http://127.0.0.1:${port}`;
  const startedAtMs = performance.now();
  const own = [`--health-probe-bind-addr=127.0.0.1:${port}`, '--log-level=error'];
  const child = spawn(process.execPath, [MAIN, 'controller', ...own, ...flags], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
  });
  const get = async (path: string): Promise<readonly [status: number, text: string]> => {
    if (child.exitCode !== null) throw new Error('the controller has ended');
    const answer = await request(probes + path).catch(() => undefined);
    return [answer?.statusCode ?? 0, (await answer?.body.text()) ?? ''];
  };
  return {
    startedAtMs,
    isReady: async () => (await get('/readyz'))[0] === 200,
    readMetrics: async () => {
      const lines = (await get('/metrics'))[1].split('\n');
      return (name) => Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? NaN);
    },
    [Symbol.asyncDispose]: () => stopped(child, 'SIGTERM'),
  };
}
