import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../../src/base/clock.ts';
import type { ConnectOptions } from '../../src/kubernetes/controller-webhook-clients.ts';
import { kubeconfigConnection } from '../../src/kubernetes/kubeconfig.ts';
import { reflectorMetrics, transportMetrics } from '../../src/kubernetes/metrics.ts';
import { Reflector } from '../../src/kubernetes/reflector.ts';
import type { ReflectorOptions } from '../../src/kubernetes/reflector-options.ts';
import { Cache } from '../../src/kubernetes/cache.ts';
import { Transport, type TransportOptions } from '../../src/kubernetes/transport.ts';
import type { KubernetesObject } from '../../src/base/kubernetes-objects.ts';
import type { TestControlPlane } from './control-plane.ts';
import { PATIENCE_MS } from './eventually.ts';

/** Returns the options with which integration tests connect to a real API server, without a rate limit and a log. */
export async function access(kubeconfig: string): Promise<ConnectOptions> {
  const connection = await kubeconfigConnection({ path: kubeconfig, clock: systemClock });
  const rate = { perSecond: Infinity, burst: 1 };
  return { connection, clock: systemClock, log: pino({ level: 'silent' }), registry: new Registry(), rate };
}

export async function transportFor(
  kubeconfig: string,
  more: Pick<TransportOptions, 'watchIdleMs'> = {},
): Promise<Transport> {
  const { connection, clock, registry, rate } = await access(kubeconfig);
  return new Transport({
    connection,
    clock,
    userAgent: 'portcullis-test/1',
    rate: rate!,
    metrics: transportMetrics(registry),
    ...more,
  });
}

export interface Followed<Kind extends KubernetesObject> extends AsyncDisposable {
  readonly cache: Cache<Kind>;
  readonly reflector: Reflector<Kind>;
  /** Returns the value of a counter of the reflector, summed over its labels. */
  count(name: string): Promise<number>;
}

/** Returns an object without managed fields, as caches of the product keep it. */
export function withoutManagedFields<Kind extends KubernetesObject>(object: Kind): Kind {
  const metadata = { ...object.metadata, managedFields: undefined };
  return { ...object, metadata };
}

/** Runs a reflector until the end of the block. */
export function follow<Kind extends KubernetesObject>(
  transport: ReflectorOptions<Kind>['transport'],
  options: Pick<ReflectorOptions<Kind>, 'resource' | 'select'>,
): Followed<Kind> {
  const log = pino({ level: 'silent' });
  const registry = new Registry();
  const cache = new Cache<Kind>(log);
  const shared = { transport, clock: systemClock, random: Math.random, metrics: reflectorMetrics(registry), log };
  const reflector = new Reflector<Kind>({ ...shared, ...options, cache, trim: withoutManagedFields });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  return {
    cache,
    reflector,
    count: async (name) => {
      const metric = await registry.getSingleMetric(name)?.get();
      return (metric?.values ?? []).reduce((sum, { value }) => sum + value, 0);
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'));
      await running;
    },
  };
}

/** Sends SIGKILL, and restarts when the kernel has released the port, which can take longer than the process. */
export async function restart(plane: Pick<TestControlPlane, 'kill' | 'start' | 'server'>): Promise<void> {
  await plane.kill();
  await startAgain(plane);
}

export async function startAgain(plane: Pick<TestControlPlane, 'start' | 'server'>): Promise<void> {
  await until('the port of the killed API server to be free', () => canListen(Number(new URL(plane.server).port)));
  await plane.start();
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/** Resolves when `isTrue` returns true. Rejects on timeout with the name of the condition. */
export async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`);
    await delay(20);
  }
}
