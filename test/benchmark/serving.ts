import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { freePorts } from '../../src/local/free-ports.ts';
import { shippedEnvironment } from '../support/shipped-deployment.ts';
import { mountedSecret, servingCertificate } from '../support/serving-certificate.ts';
import { onCore } from './processor-core.ts';

/** The entry files of the shipped program, of the API server, and of the webhook with a constant response. */
const MAIN = join(import.meta.dirname, '../../dist/src/main.js');
const SYNTHETIC_API_SERVER = join(import.meta.dirname, 'cache-fill.ts');
const CONSTANT = join(import.meta.dirname, 'constant-webhook.ts');
/** Milliseconds between probes. Frequent probes would slow the start, because a probe costs as much as a dozen objects. */
const POLL_MS = 20;
const READY_MS = 30_000;

/** Writes a kubeconfig file for the API server of a cluster. */
export function writeKubeconfig(path: string, server: string): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'synthetic', cluster: { server } }],
    users: [{ name: 'webhook', user: { token: 'benchmark' } }],
    contexts: [{ name: 'synthetic', context: { cluster: 'synthetic', user: 'webhook' } }],
    'current-context': 'synthetic',
  };
  writeFileSync(path, JSON.stringify(config));
}

/** Starts an API server with 10,000 Services and 10,000 load balancers, and creates a certificate. Returns the flags for `startWebhook`. */
export async function context() {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-benchmark-'));
  const secret = mountedSecret(await servingCertificate());
  const apiServer = fork(SYNTHETIC_API_SERVER, ['serve']);
  const [port] = (await once(apiServer, 'message')) as [number];
  const kubeconfig = join(folder, 'kubeconfig');
  writeKubeconfig(kubeconfig, `http://127.0.0.1:${port}`);
  return {
    flags: [
      ...[`--kubeconfig=${kubeconfig}`, `--tls-cert-file=${secret.certFile}`],
      `--tls-private-key-file=${secret.keyFile}`,
    ],
    [Symbol.dispose]: () => {
      apiServer.kill();
      secret[Symbol.dispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A webhook process that answers reviews on the loopback interface. */
export interface Serving extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** The URL of the validating webhook. */
  readonly url: string;
  /** The URL of the probes. */
  readonly probes: string;
  /** Milliseconds from the start until ready. */
  readonly startMs: number;
}

async function serve(command: readonly string[], [port, probePort]: readonly [number, number]): Promise<Serving> {
  const since = performance.now();
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...shippedEnvironment('webhook') },
  });
  const probes = `http://127.0.0.1:${probePort}`;
  await untilReady(child, probes);
  return {
    pid: child.pid ?? 0,
    port,
    url: `https://127.0.0.1:${port}/validate?timeout=3s`,
    probes,
    startMs: performance.now() - since,
    [Symbol.asyncDispose]: async () => {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}

async function untilReady(child: ChildProcess, probes: string): Promise<void> {
  const end = performance.now() + READY_MS;
  for (;;) {
    const answer = await request(`${probes}/readyz`).catch(() => undefined);
    await answer?.body.dump();
    if (answer?.statusCode === 200) return;
    if (child.exitCode !== null || performance.now() > end) throw new Error('the webhook did not become ready');
    await delay(POLL_MS);
  }
}

async function twoPorts(): Promise<readonly [number, number]> {
  const [first = 0, second = 0] = await freePorts(2);
  return [first, second];
}

/** Starts the webhook with the settings of its Deployment, on one core if `core` is set. */
export const startWebhook = (flags: readonly string[], core?: number): Promise<Serving> =>
  start([MAIN, 'webhook'], flags, core);

/** Starts the webhook with a constant answer that allows every review. */
export const startConstant = (flags: readonly string[], core?: number): Promise<Serving> =>
  start([CONSTANT], flags, core);

async function start(command: readonly string[], flags: readonly string[], core: number | undefined): Promise<Serving> {
  const ports = await twoPorts();
  const own = [`--port=${ports[0]}`, '--bind-address=127.0.0.1', `--health-probe-bind-addr=127.0.0.1:${ports[1]}`];
  return serve(onCore(core, [process.execPath, ...command, ...own, ...flags]), ports);
}
