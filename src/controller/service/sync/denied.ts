import type { Result } from '../../../reconcile/requeue-decision.ts';
import { isNewService, type Case } from './sync-inputs.ts';
import type { Denial } from '../policy/denial.ts';
import { readUsage } from '../policy/read-usage.ts';
import { blockedChange } from '../status/blocked-change.ts';
import { WITHHELD_RETRY_MS } from '../status/conclude.ts';
import { publish } from '../status/publish.ts';
import { causesIn, eventsOf, standingOf, withheldFor } from '../status/readiness-state.ts';
import type { ServiceDeps, Turn } from '../context.ts';

/** Publishes why a Service is denied of which nothing is synced: it never had a load balancer, or its backends cannot be read. */
export async function refuse(subject: Case, refusal: Denial, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { service } = subject;
  const trouble = { ...refusal, change: blockedChange(turn.inputs, turn.entry), ineffective: [] };
  const standing = standingOf(trouble, []);
  const events = eventsOf(service, standing, trouble);
  const next = (): Result => (refusal.isByPolicy ? { requeueAfterMs: WITHHELD_RETRY_MS } : 'done');
  if (!isNewService(subject, turn)) await readUsage(subject, withheldFor(causesIn(trouble)), turn, deps);
  return publish(subject, { service, standing, events, recording: { kind: 'usage' }, next }, turn, deps);
}
