import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RuleTraits } from '../src/rules/engine/evaluate.ts';

/** The metrics that the server and the handlers update. */
export interface WebhookMetrics {
  /** Labels: `path` (mutate, validate), `decision`, `operation`. */
  readonly decisions: Counter<'path' | 'decision' | 'operation'>;
  /** Labels: `rule`, `enforcement_action` (deny, warn, audit), `operation`. */
  readonly violations: Counter<'rule' | 'enforcement_action' | 'operation'>;
  /** Violations that only warned because the stored object has them too. */
  readonly ratcheted: Counter;
  /** Rules that failed or did not run in time. Labels: `rule`, `tier`. */
  readonly unevaluated: Counter<'rule' | 'tier'>;
  readonly duration: Histogram<'path'>;
  /** Requests that were answered without a decision. Label: `status`, the HTTP status. */
  readonly undecided: Counter<'status'>;
  /** Reviews that skipped hygiene rules because too many reviews waited. Label: `path`. */
  readonly overloaded: Counter<'path'>;
  /** Connections that were closed because too many were open. */
  readonly dropped: Counter;
  /** Registers the gauges of the work in progress. The server calls this function once. */
  readonly watchWork: (work: Work) => void;
  readonly certificateNotAfter: Gauge;
  readonly certificateReloadErrors: Counter;
}

/** The work in progress, for gauges. */
export interface Work {
  /** Returns the number of reviews that wait for a decision. */
  readonly waiting: () => number;
  /** Returns the number of bytes of the large request bodies in memory. */
  readonly bodyBytes: () => number;
}

/** The HTTP statuses of responses without a decision. */
const STATUSES = [400, 403, 404, 413, 415, 500, 503];

/** Creates the metrics when the webhook starts. No label has a value that users choose, so the number of time series is limited. */
export function createMetrics(registry: Registry, rules: readonly RuleTraits[] = []): WebhookMetrics {
  const metrics = createInstruments(registry);
  // Counters start at zero, so that an alert on an increase does not miss the first event.
  for (const status of STATUSES) metrics.undecided.inc({ status }, 0);
  for (const path of ['mutate', 'validate']) metrics.overloaded.inc({ path }, 0);
  for (const { name, tier } of rules) {
    // If the request must not be denied, a failed safety rule counts with the tier `hygiene`.
    for (const counted of new Set([tier, 'hygiene'])) metrics.unevaluated.inc({ rule: name, tier: counted }, 0);
  }
  return metrics;
}

function createInstruments(registry: Registry): WebhookMetrics {
  const registers = [registry];
  return {
    decisions: new Counter({
      name: 'portcullis_webhook_decisions_total',
      help: 'Decisions by path, decision and operation.',
      labelNames: ['path', 'decision', 'operation'],
      registers,
    }),
    violations: new Counter({
      name: 'portcullis_webhook_findings_total',
      help: 'Violations by rule and enforcement action.',
      labelNames: ['rule', 'enforcement_action', 'operation'],
      registers,
    }),
    ratcheted: new Counter({
      name: 'portcullis_webhook_ratcheted_total',
      help: 'Violations that only warned because the stored object has them too.',
      registers,
    }),
    unevaluated: new Counter({
      name: 'portcullis_webhook_rule_errors_total',
      help: 'Rules that failed or did not run in time.',
      labelNames: ['rule', 'tier'],
      registers,
    }),
    duration: new Histogram({
      name: 'portcullis_webhook_decision_duration_seconds',
      help: 'Time from the end of reading the body to the decision.',
      labelNames: ['path'],
      buckets: [0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.005, 0.02, 0.1, 0.5, 2],
      registers,
    }),
    undecided: new Counter({
      name: 'portcullis_webhook_http_errors_total',
      help: 'Requests answered without a decision, by HTTP status.',
      labelNames: ['status'],
      registers,
    }),
    ...workMetrics(registry),
    certificateNotAfter: new Gauge({
      name: 'portcullis_webhook_certificate_expiration_timestamp_seconds',
      help: 'Expiration of the serving certificate in use, in seconds since the epoch.',
      registers,
    }),
    certificateReloadErrors: new Counter({
      name: 'portcullis_webhook_certificate_reload_errors_total',
      help: 'Failures to load the serving certificate or the client CA certificate.',
      registers,
    }),
  };
}

function workMetrics(registry: Registry): Pick<WebhookMetrics, 'overloaded' | 'dropped' | 'watchWork'> {
  const registers = [registry];
  return {
    overloaded: new Counter({
      name: 'portcullis_webhook_load_shed_total',
      help: 'Reviews that exceeded --max-in-flight and skipped hygiene rules.',
      labelNames: ['path'],
      registers,
    }),
    dropped: new Counter({
      name: 'portcullis_webhook_dropped_connections_total',
      help: 'Connections closed because too many were open.',
      registers,
    }),
    watchWork: ({ waiting, bodyBytes }) => {
      addGauge(registry, 'portcullis_webhook_inflight_reviews', 'Reviews that wait for a decision.', waiting);
      addGauge(registry, 'portcullis_webhook_inflight_body_bytes', 'Bytes of large reviews in progress.', bodyBytes);
    },
  };
}

function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) });
}
