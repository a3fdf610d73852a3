import type { Registry } from 'prom-client';
import type { Clock } from '../base/clock.ts';
import type { KubernetesApi } from '../controller/port.ts';
import type { Logger } from '../base/log.ts';
import { VERSION } from '../base/metrics.ts';
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
import { reportCaches } from './report-caches.ts';
import { Transport } from './transport.ts';
import { Writer } from './writer.ts';

export type { ControllerCaches, WebhookCaches } from './caches.ts';

/** What both processes say of themselves. */
export interface ConnectOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  /** `--kube-api-qps` and `--kube-api-burst`; 20 and 30 when absent. */
  readonly rate?: Rate;
}

export interface ControllerOptions extends ConnectOptions {
  /** Of this process, among all replicas at one time: `ccm-<host name>` as the existing controller calls itself. */
  readonly identity: string;
  /** Where the pods behind Services are read; EndpointSlices when absent. */
  readonly endpointSource?: EndpointSource;
  /** The lease to lead by; without any election when absent, which lets this process write at any time. */
  readonly election?: Pick<ElectionOptions, 'lease' | 'timing' | 'longestCallMs'>;
}

/** The controller's side of Kubernetes. Close it last. */
export interface ControllerKubernetes extends AsyncDisposable {
  readonly api: KubernetesApi;
  readonly caches: ControllerCaches;
  readonly policies: PolicyCaches;
  /** Absent where no election was asked for. Its `mayWrite` already guards `api.writer`; other writers ask it too. */
  readonly election: Election | undefined;
  readonly events: Events;
  /**
   * Follows the API server and writes events until the signal is aborted, and what events then still wait. Never rejects.
   * Abort it after the controllers have ended, for their last events to be written.
   */
  run(signal: AbortSignal): Promise<void>;
}

export const DEFAULT_RATE: Rate = { perSecond: 20, burst: 30 };

/** Opens no connection yet: nothing is asked before `run`. */
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

/** The webhook's side: caches alone, with the connections that they use. It writes nothing and takes no part in elections. */
export function webhookKubernetes(options: ConnectOptions): WebhookCaches & AsyncDisposable {
  const { clock, log, registry } = options;
  const transport = open(options, 'portcullis-webhook');
  const caches = webhookCaches({ transport, clock, log, metrics: reflectorMetrics(registry) });
  return { ...caches, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
}

const open = ({ connection, clock, registry, rate = DEFAULT_RATE }: ConnectOptions, component: string): Transport =>
  new Transport({ connection, clock, userAgent: `${component}/${VERSION}`, rate, metrics: transportMetrics(registry) });
