import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The metrics of requests to the API server, with the names of client-go. */
export interface TransportMetrics {
  readonly requests: Counter<'method' | 'code'>;
  readonly durations: Histogram<'verb'>;
  readonly limited: Histogram;
}

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30];

export const transportMetrics = (registry: Registry): TransportMetrics => ({
  requests: new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, by method and HTTP status; code <error> if there was no response.',
    labelNames: ['method', 'code'],
    registers: [registry],
  }),
  durations: new Histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Time from sending a request to the API server to the complete response, except for lists and watches.',
    labelNames: ['verb'],
    buckets: SECONDS,
    registers: [registry],
  }),
  limited: new Histogram({
    name: 'rest_client_rate_limiter_duration_seconds',
    help: 'Time that requests to the API server waited for the rate limiter of the client.',
    buckets: SECONDS,
    registers: [registry],
  }),
});

/** The metrics of the caches, by resource. */
export interface ReflectorMetrics {
  readonly lists: Counter<'resource'>;
  readonly watches: Counter<'resource'>;
  readonly failures: Counter<'resource' | 'reason'>;
  readonly objects: Gauge<'resource'>;
  readonly lastEvent: Gauge<'resource'>;
}

export const reflectorMetrics = (registry: Registry): ReflectorMetrics => ({
  lists: new Counter({
    name: 'reflector_lists_total',
    help: 'Complete lists read from the API server.',
    labelNames: ['resource'],
    registers: [registry],
  }),
  watches: new Counter({
    name: 'reflector_watches_total',
    help: 'Watches opened.',
    labelNames: ['resource'],
    registers: [registry],
  }),
  failures: new Counter({
    name: 'reflector_failures_total',
    help: 'Lists and watches that failed, by reason.',
    labelNames: ['resource', 'reason'],
    registers: [registry],
  }),
  objects: new Gauge({
    name: 'reflector_objects',
    help: 'Objects in the cache.',
    labelNames: ['resource'],
    registers: [registry],
  }),
  lastEvent: new Gauge({
    name: 'reflector_last_event_timestamp_seconds',
    help: 'Time of the last event or bookmark of this watch; bookmarks arrive every minute. Until the first event, the time of the first request.',
    labelNames: ['resource'],
    registers: [registry],
  }),
});

/** Returns the metric that shows whether this process leads, with the name of client-go. */
export const leadingGauge = (registry: Registry): Gauge<'name'> =>
  new Gauge({
    name: 'leader_election_master_status',
    help: '1 if this process holds the lease.',
    labelNames: ['name'],
    registers: [registry],
  });

export const eventsCounter = (registry: Registry): Counter<'result'> =>
  new Counter({
    name: 'portcullis_events_total',
    help: 'Events by result: written, failed (dropped after several tries), cut (too many).',
    labelNames: ['result'],
    registers: [registry],
  });
