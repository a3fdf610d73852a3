import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { freePorts } from '../../src/local/ports.ts';
import { CATALOGUE } from '../../src/annotation/catalogue.ts';
import { manifestsOf } from '../support/manifests.ts';
import { aReview } from '../support/review.ts';
import { aService } from '../support/service.ts';
import { mountedSecret, servingCertificate } from '../support/serving-certificate.ts';

/** The webhook as it is shipped, with the caches of a large cluster, under the load of one. */
const MAIN = join(import.meta.dirname, '../../dist/src/main.js');
const SYNTHETIC_API_SERVER = join(import.meta.dirname, 'reflector.ts');
const LOAD_MS = 8_000;
const CONNECTIONS = 25;
/** Milliseconds between two requests of a connection that together make 1,000 a second. */
const PACE_MS = 25;
const POLL_MS = 5;
const READY_MS = 30_000;
const MB = 1e6;

export interface WebhookCosts {
  /** Milliseconds from the start of the process until it is ready with full caches, the least of some starts. */
  readonly startMs: number;
  /** The most that was resident with full caches under 1,000 reviews a second; MB. */
  readonly residentMb: number;
  /** Reviews answered a second, as many as it can, by one process on a machine that also makes the requests. */
  readonly reviewsPerSecond: number;
}

const REVIEW = JSON.stringify(
  aReview({
    object: aService({
      annotations: Object.fromEntries(
        [CATALOGUE.addressType, CATALOGUE.scheduler, CATALOGUE.establishedTimeout].map(({ key, example }) => [
          key,
          example,
        ]),
      ),
    }),
  }),
);

/** The variables that the shipped Deployment sets. */
function shippedEnvironment(): Readonly<Record<string, string>> {
  const [deployment] = manifestsOf('manifests/webhook/deployment.yaml');
  const { template } = deployment?.['spec'] as { readonly template: Template };
  return Object.fromEntries(template.spec.containers[0].env.map(({ name, value }) => [name, value]));
}

interface Template {
  readonly spec: {
    readonly containers: readonly [{ readonly env: readonly { readonly name: string; readonly value: string }[] }];
  };
}

/** Where the webhook finds its API server and its certificate. */
async function surroundings() {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-benchmark-'));
  const secret = mountedSecret(await servingCertificate());
  const apiServer = fork(SYNTHETIC_API_SERVER, ['serve']);
  const [port] = (await once(apiServer, 'message')) as [number];
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'synthetic', cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: 'webhook', user: { token: 'benchmark' } }],
      contexts: [{ name: 'synthetic', context: { cluster: 'synthetic', user: 'webhook' } }],
      'current-context': 'synthetic',
    }),
  );
  return {
    kubeconfig,
    ...secret,
    [Symbol.dispose]: () => {
      apiServer.kill();
      secret[Symbol.dispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

type Surroundings = Awaited<ReturnType<typeof surroundings>>;

interface Running extends AsyncDisposable {
  readonly url: string;
  readonly probes: string;
  readonly startMs: number;
}

async function start({ kubeconfig, certFile, keyFile }: Surroundings): Promise<Running> {
  const [port = 0, probePort = 0] = await freePorts(2);
  const since = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...[MAIN, 'webhook', '--bind-address=127.0.0.1', `--port=${port}`, `--kubeconfig=${kubeconfig}`],
      ...[`--health-probe-bind-addr=127.0.0.1:${probePort}`, '--log-level=warn'],
      ...[`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...shippedEnvironment() } },
  );
  const probes = `http://127.0.0.1:${probePort}`;
  await untilReady(child, probes);
  return {
    url: `https://127.0.0.1:${port}/validate?timeout=3s`,
    probes,
    startMs: performance.now() - since,
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'close');
      child.kill('SIGKILL');
      await gone;
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

async function residentMb(probes: string): Promise<number> {
  const { body } = await request(`${probes}/metrics`);
  const [, bytes = 'NaN'] = /^process_resident_memory_bytes (\S+)/m.exec(await body.text()) ?? [];
  return Number(bytes) / MB;
}

interface Load {
  readonly perSecond: number;
  readonly residentMb: number;
}

/** Sends reviews over a number of connections; each waits for its answer and, at a pace, for its next turn. */
async function load({ url, probes }: Running, paceMs: number): Promise<Load> {
  const agent = new Agent({ connections: CONNECTIONS, connect: { rejectUnauthorized: false } });
  const since = performance.now();
  const goesOn = (): boolean => performance.now() - since < LOAD_MS;
  let [answered, most] = [0, 0];
  const send = async (): Promise<void> => {
    for (let turn = since; goesOn(); turn += paceMs) {
      await delay(Math.max(0, turn - performance.now()));
      const headers = { 'content-type': 'application/json' };
      const { statusCode, body } = await request(url, { method: 'POST', headers, body: REVIEW, dispatcher: agent });
      const text = await body.text();
      if (statusCode !== 200 || !text.includes('"allowed":true')) throw new Error(`${statusCode}: ${text}`);
      answered += 1;
    }
  };
  const watch = async (): Promise<void> => {
    while (goesOn()) {
      most = Math.max(most, await residentMb(probes));
      await delay(250);
    }
  };
  await Promise.all([watch(), ...Array.from({ length: CONNECTIONS }, send)]);
  const elapsed = (performance.now() - since) / 1000;
  await agent.close();
  return { residentMb: most, perSecond: answered / elapsed };
}

export async function webhookCosts(): Promise<WebhookCosts> {
  using place = await surroundings();
  const starts: number[] = [];
  for (let round = 0; round < 3; round++) {
    await using running = await start(place);
    starts.push(running.startMs);
  }
  await using running = await start(place);
  const paced = await load(running, PACE_MS);
  const { perSecond } = await load(running, 0);
  return { startMs: Math.min(...starts), residentMb: paced.residentMb, reviewsPerSecond: perSecond };
}
