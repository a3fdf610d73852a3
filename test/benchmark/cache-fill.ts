import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../../src/base/clock.ts';
import { CLASSIC_LOAD_BALANCERS } from '../../src/inventory/custom-resources.ts';
import { webhookKubernetes } from '../../src/kubernetes/controller-webhook-clients.ts';
import { SERVICES } from '../../src/base/kubernetes-objects.ts';

/** The number of Services of type LoadBalancer, and of load balancers. */
const COUNT = 10_000;
const CHUNK = 200;

/** The cost of filling the webhook's caches. */
export interface CacheFillCosts {
  readonly seconds: number;
  /** The memory of all objects in the caches after a garbage collection, in MiB. */
  readonly heapMiB: number;
  /** The memory of the whole process, in MiB. */
  readonly residentMiB: number;
  /** Longest block of the event loop, in milliseconds. */
  readonly longestPauseMs: number;
}

/** Fills the webhook's caches from an API server in another process. */
export async function cacheFillCosts(): Promise<CacheFillCosts> {
  const server = fork(fileURLToPath(import.meta.url), ['serve']);
  try {
    const [port] = (await once(server, 'message')) as [number];
    return await fill(port);
  } finally {
    server.kill();
  }
}

async function fill(port: number): Promise<CacheFillCosts> {
  const stop = new AbortController();
  const log = pino({ level: 'silent' });
  const lag = monitorEventLoopDelay({ resolution: 1 });
  const heapBefore = heapMiB();
  const connection = { server: `http://127.0.0.1:${port}` };
  await using kubernetes = webhookKubernetes({ connection, clock: systemClock, log, registry: new Registry() });
  lag.enable();
  const from = performance.now();
  const running = kubernetes.run(stop.signal);
  await kubernetes.synced(stop.signal);
  const seconds = (performance.now() - from) / 1000;
  lag.disable();
  const sizes = [kubernetes.services.size, kubernetes.classicLoadBalancers.size];
  if (sizes.some((size) => size !== COUNT)) throw new Error(`the caches hold ${sizes.join(' and ')} objects`);
  const residentMiB = process.memoryUsage.rss() / 2 ** 20;
  const costs = { seconds, heapMiB: heapMiB() - heapBefore, residentMiB, longestPauseMs: lag.max / 1e6 };
  stop.abort(new Error('measured'));
  await running;
  return costs;
}

function heapMiB(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function syntheticServer(): Server {
  const kinds: Readonly<Record<string, (at: number) => object>> = {
    [SERVICES.plural]: service,
    [CLASSIC_LOAD_BALANCERS.plural]: loadBalancer,
  };
  return createServer((request, response) => {
    serve(request, response, kinds).catch(() => response.destroy());
  });
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  kinds: Readonly<Record<string, (at: number) => object>>,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const make = kinds[pathname.split('/').at(-1) ?? ''];
  const count = make === undefined ? 0 : COUNT;
  const objectAt = make ?? (() => ({}));
  if (searchParams.get('watch') === null) {
    response.end(JSON.stringify(page(objectAt, count, searchParams)));
  } else if (searchParams.get('sendInitialEvents') === null) {
    response.flushHeaders();
  } else if (process.env['PAGES'] === '1') {
    // An API server without streaming lists.
    response.writeHead(422).end('{}');
  } else {
    for (let from = 0; from < count; from += CHUNK) {
      const lines = Array.from(
        { length: CHUNK },
        (_, at) => `${JSON.stringify({ type: 'ADDED', object: objectAt(from + at) })}\n`,
      );
      if (!response.write(lines.join(''))) await once(response, 'drain');
    }
    const metadata = { resourceVersion: String(COUNT), annotations: { 'k8s.io/initial-events-end': 'true' } };
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata } })}\n`);
  }
}

function page(objectAt: (at: number) => object, count: number, query: URLSearchParams): object {
  const from = Number(query.get('continue') ?? 0);
  const to = Math.min(count, from + Number(query.get('limit')));
  const more = to < count ? { continue: String(to) } : {};
  return {
    metadata: { resourceVersion: String(COUNT), ...more },
    items: Array.from({ length: to - from }, (_, at) => objectAt(from + at)),
  };
}

/** Returns a Service of about 3 KB, as `kubectl apply` stores it. */
function service(at: number): object {
  const prefix = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
  const annotations = {
    [`${prefix}spec`]: 'slb.s1.small',
    [`${prefix}protocol-port`]: 'https:443,http:80',
    ...(at % 4 === 0 ? { [`${prefix}id`]: `lb-${at}` } : {}),
  };
  const spec = {
    type: 'LoadBalancer',
    clusterIP: `172.21.${at >> 8}.${at & 255}`,
    selector: { app: `app-${at}` },
    ports: [80, 443].map((port) => ({
      name: `port-${port}`,
      port,
      targetPort: port + 8000,
      nodePort: 30_000 + port,
      protocol: 'TCP',
    })),
  };
  return {
    metadata: {
      name: `service-${at}`,
      namespace: `team-${at % 100}`,
      uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      resourceVersion: String(at + 1),
      annotations: {
        ...annotations,
        'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ annotations, spec }),
      },
      managedFields: [
        {
          manager: 'kubectl',
          operation: 'Update',
          fieldsV1: {
            'f:metadata': {
              'f:annotations': Object.fromEntries(Object.keys(annotations).map((key) => [`f:${key}`, {}])),
            },
          },
        },
      ],
    },
    spec,
    status: { loadBalancer: { ingress: [{ ip: `203.0.113.${at & 255}` }] } },
  };
}

const loadBalancer = (at: number): object => ({
  metadata: {
    name: `lb-${at}`,
    uid: `00000000-0000-4000-9000-${String(at).padStart(12, '0')}`,
    resourceVersion: String(at + 1),
  },
  status: {
    address: `203.0.113.${at & 255}`,
    addressType: 'internet',
    ipVersion: 'ipv4',
    vpcId: 'vpc-1',
    resourceGroupId: 'rg-1',
    owner: 'this-cluster',
    service: `team-${at % 100}/service-${at}`,
    listeners: [
      { port: 80, protocol: 'http' },
      { port: 443, protocol: 'https' },
    ],
  },
});

if (import.meta.main && process.argv[2] === 'serve') {
  process.once('disconnect', () => process.exit());
  const server = syntheticServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
} else if (import.meta.main) {
  const { seconds, heapMiB: heap, residentMiB, longestPauseMs } = await cacheFillCosts();
  process.stdout.write(
    `${COUNT} Services and ${COUNT} load balancers: synced in ${seconds.toFixed(2)} s, ${heap.toFixed(1)} MiB of heap, ` +
      `${residentMiB.toFixed(0)} MiB resident, longest pause ${longestPauseMs.toFixed(0)} ms\n`,
  );
}
