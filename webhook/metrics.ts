import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface WebhookMetrics {
  /** Labels: `path` (mutate, validate), `decision`, `operation`. */
  readonly decisions: Counter<'path' | 'decision' | 'operation'>;
  /** Labels: `rule`, `consequence` (refuse, warn, audit), `operation`. */
  readonly findings: Counter<'rule' | 'consequence' | 'operation'>;
  readonly ratcheted: Counter;
  readonly unevaluated: Counter<'rule' | 'tier'>;
  readonly duration: Histogram<'path'>;
  readonly unreadable: Counter<'status'>;
  readonly certificateNotAfter: Gauge;
  readonly certificateFaults: Counter;
}

/** The webhook's own figures. Every label has few values, none of them a name that a user chose. */
export function createMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  return {
    decisions: new Counter({
      name: 'portcullis_webhook_decisions_total',
      help: 'Requests decided.',
      labelNames: ['path', 'decision', 'operation'],
      registers,
    }),
    findings: new Counter({
      name: 'portcullis_webhook_findings_total',
      help: 'Faults found, by rule and by what followed.',
      labelNames: ['rule', 'consequence', 'operation'],
      registers,
    }),
    ratcheted: new Counter({
      name: 'portcullis_webhook_ratcheted_total',
      help: 'Faults that only warned because the stored object had them before.',
      registers,
    }),
    unevaluated: new Counter({
      name: 'portcullis_webhook_rules_unevaluated_total',
      help: 'Rules that failed or were not reached in time.',
      labelNames: ['rule', 'tier'],
      registers,
    }),
    duration: new Histogram({
      name: 'portcullis_webhook_decision_duration_seconds',
      help: 'Time from the body having been read to the decision.',
      labelNames: ['path'],
      buckets: [0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.005, 0.02, 0.1, 0.5, 2],
      registers,
    }),
    unreadable: new Counter({
      name: 'portcullis_webhook_unreadable_requests_total',
      help: 'Requests answered without a verdict, by HTTP status.',
      labelNames: ['status'],
      registers,
    }),
    certificateNotAfter: new Gauge({
      name: 'portcullis_webhook_certificate_not_after_seconds',
      help: 'When the serving certificate in force expires, in seconds since the epoch.',
      registers,
    }),
    certificateFaults: new Counter({
      name: 'portcullis_webhook_certificate_faults_total',
      help: 'New certificates that could not be put in force.',
      registers,
    }),
  };
}
