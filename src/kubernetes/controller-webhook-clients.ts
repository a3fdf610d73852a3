import type { Registry } from 'prom-client';
import type { Clock } from '../base/clock.ts';
import type { KubernetesApi } from '../controller/kubernetes-interface.ts';
import type { Logger } from '../base/log.ts';
import { VERSION } from '../base/process-metrics.ts';
import type { Rate } from '../base/token-bucket.ts';
import {
  controllerCaches,
  webhookCaches,
  type ControllerCaches,
  type EndpointSource,
  type WebhookCaches,
} from './caches.ts';
import type { Connection } from './connection.ts';
import { Events } from './events.ts';
import { Election, type ElectionOptions } from './lease.ts';
import { eventsCounter, leadingGauge, reflectorMetrics, transportMetrics } from './metrics.ts';
import { policyCaches, WITH_STATUS, type PolicyCaches } from './policy-caches.ts';
import { reportCaches } from './policy-report-caches.ts';
import { Transport } from './transport.ts';
import { Writer } from './writer.ts';

export type { ControllerCaches, WebhookCaches } from './caches.ts';

/** The options that the controller and the webhook share. */
export interface ConnectOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  /** `--kube-api-qps` and `--kube-api-burst`. Default: 20 and 30. */
  readonly rate?: Rate;
}

export interface ControllerOptions extends ConnectOptions {
  /** The identity of this process, unique among running replicas: `ccm-<host name>-<random text>`. */
  readonly identity: string;
  /** The API that lists the pods behind Services. Default: EndpointSlices. */
  readonly endpointSource?: EndpointSource;
  /** The Lease of the leader election. Undefined means no election: this process may always write. */
  readonly election?: Pick<ElectionOptions, 'lease' | 'timing' | 'longestCallMs'>;
}

/** The access of the controller process to the Kubernetes API. The process disposes of the access after all controllers have ended. */
export interface ControllerKubernetes extends AsyncDisposable {
  readonly api: KubernetesApi;
  readonly caches: ControllerCaches;
  readonly policies: PolicyCaches;
  /** Undefined without an election. `api.writer` already checks `mayWrite`; code that writes to the cloud must call `mayWrite` too. */
  readonly election: Election | undefined;
  readonly events: Events;
  /** Follows the API server and writes events until the signal is aborted. Later events are lost. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

export const DEFAULT_RATE: Rate = { perSecond: 20, burst: 30 };

/** Returns the access of the controller process, which calls this function once at its start. Opens no connection before the first request. */
export function controllerKubernetes(options: ControllerOptions): ControllerKubernetes {
  const { clock, log, registry, identity } = options;
  const transport = open(options, 'portcullis-controller');
  const election =
    options.election === undefined
      ? undefined
      : new Election({
          ...options.election,
          requests: transport,
          clock,
          log,
          leading: leadingGauge(registry),
          identity,
        });
  const metrics = reflectorMetrics(registry);
  const caches = controllerCaches({ transport, clock, log, metrics }, options.endpointSource);
  const policies = policyCaches({ transport, clock, log, metrics }, WITH_STATUS);
  const events = new Events({ requests: transport, clock, log, written: eventsCounter(registry), instance: identity });
  return {
    api: {
      ...caches,
      writer: new Writer(transport, election),
      events: events.recorder('service-controller'),
      recorder: (component) => events.recorder(component),
      reports: reportCaches({ transport, clock, log, metrics }),
    },
    caches,
    policies,
    election,
    events,
    run: async (signal) => {
      await Promise.all([caches.run(signal), policies.run(signal), events.run(signal)]);
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

/** Returns the caches of the webhook, which calls this function once at its start. The webhook writes nothing, so it needs no election. */
export function webhookKubernetes(options: ConnectOptions): WebhookCaches & AsyncDisposable {
  const { clock, log, registry } = options;
  const transport = open(options, 'portcullis-webhook');
  const caches = webhookCaches({ transport, clock, log, metrics: reflectorMetrics(registry) });
  return { ...caches, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
}

const open = ({ connection, clock, registry, rate = DEFAULT_RATE }: ConnectOptions, component: string): Transport =>
  new Transport({ connection, clock, userAgent: `${component}/${VERSION}`, rate, metrics: transportMetrics(registry) });
