import type { Clock } from '../src/clock.ts';
import { PortcullisError, messageOf } from '../src/errors.ts';
import type { Facts } from '../src/inventory/facts.ts';
import type { Logger } from '../src/log.ts';
import type { Policy } from '../src/policy/policy.ts';
import type { WebhookMetrics } from './metrics.ts';
import { mutate, type DeprecatedKeys } from './mutate.ts';
import type { AdmissionRequest, Answer } from './review.ts';
import type { Outcome } from './rules/engine/outcome.ts';
import { OUT_OF_TIME } from './rules/engine/judge.ts';
import { nameOf } from './rules/engine/subject.ts';
import { plain } from './rules/engine/text.ts';
import type { Decide } from './server.ts';
import { validate, type RuleBook } from './validate.ts';
import { verdictOf } from './verdict.ts';
import { tooBusy } from './work.ts';

export interface AdmissionDeps {
  readonly facts: Facts;
  readonly policy: Policy;
  readonly rules: RuleBook;
  readonly deprecatedKeys: DeprecatedKeys;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
}

type Path = 'mutate' | 'validate';

/** The two questions that the API server asks, each answered, counted and logged. */
export function createAdmission(deps: AdmissionDeps): { readonly mutate: Decide; readonly validate: Decide } {
  return {
    mutate: recorded('mutate', deps, (request, expired) => {
      if (expired()) return { answer: { allowed: true, warnings: [unmutated(request)] }, decision: 'warned' };
      const answer = mutate(request, deps.deprecatedKeys);
      return { answer, decision: (answer.patch ?? []).length > 0 ? 'patched' : 'allowed' };
    }),
    validate: recorded('validate', deps, (request, expired) => {
      const outcome = validate(request, { ...deps, expired });
      count(outcome, request, deps);
      failIfUnsafe(outcome);
      return { ...verdictOf(request, outcome), rules: outcome.refusals.map(({ rule }) => rule.name) };
    }),
  };
}

const unmutated = (request: AdmissionRequest): string =>
  plain(`${nameOf(request)}: there was no time to look for deprecated keys, which stay as they are`);

interface Decided {
  readonly answer: Answer;
  readonly decision: string;
  readonly rules?: readonly string[];
}

/** With a line in the log and a count for each, also for one that the failure policy has to make. */
function recorded(
  path: Path,
  { clock, metrics, log }: AdmissionDeps,
  decide: (...of: Parameters<Decide>) => Decided,
): Decide {
  // The fields of the line are known, and none is a secret: looking through them for secrets would cost more than deciding.
  const lines = log.child({}, { redact: [] });
  return (request, expired) => {
    const startedAt = clock.monotonic();
    const tell = (decision: string, more: object): void => {
      const ms = clock.monotonic() - startedAt;
      metrics.decisions.inc({ path, decision, operation: request.operation });
      metrics.duration.observe({ path }, ms / 1_000);
      lines.info({ path, decision, ...identity(request), ...more, ms: Math.round(ms * 1_000) / 1_000 }, 'decided');
    };
    try {
      const { answer, decision, rules } = decide(request, expired);
      tell(decision, rules === undefined ? {} : { rules });
      return answer;
    } catch (error) {
      tell('undecided', {});
      throw error;
    }
  };
}

/** What names a request in the log. Names come from users, and a log is read in terminals. */
const identity = ({ uid, operation, kind, namespace, name, userInfo, dryRun }: AdmissionRequest): object => ({
  uid: plain(uid),
  operation,
  kind: plain(kind.kind),
  object: plain(namespace === '' ? name : `${namespace}/${name}`),
  user: plain(userInfo?.username ?? ''),
  ...(dryRun ? { dryRun } : {}),
});

function count(outcome: Outcome, { operation }: AdmissionRequest, { metrics, log }: AdmissionDeps): void {
  const { refusals, warnings, audited, ratcheted, unevaluated } = outcome;
  for (const [consequence, findings] of [
    ['refuse', refusals],
    ['warn', warnings],
    ['audit', audited],
  ] as const) {
    for (const { rule } of findings) metrics.findings.inc({ rule: rule.name, consequence, operation });
  }
  if (ratcheted > 0) metrics.ratcheted.inc(ratcheted);
  for (const { rule, error } of unevaluated) {
    metrics.unevaluated.inc({ rule: rule.name, tier: rule.tier });
    // Of these there may be very many at once; the line of the decision says so.
    if (error !== OUT_OF_TIME)
      log.error({ err: error, rule: rule.name, tier: rule.tier }, 'rule could not be evaluated');
  }
}

/** What is refused anyway is refused; otherwise a safety rule without a verdict leaves the decision to the failure policy. */
function failIfUnsafe({ refusals, unevaluated }: Outcome): void {
  const unsafe = unevaluated.find(({ rule }) => rule.tier === 'safety');
  if (refusals.length > 0 || unsafe === undefined) return;
  if (unsafe.error === OUT_OF_TIME) {
    throw tooBusy(`the webhook had no time to evaluate safety rule ${unsafe.rule.name}: try again`);
  }
  throw new PortcullisError(
    'Bug',
    `safety rule ${unsafe.rule.name} could not be evaluated: ${messageOf(unsafe.error)}`,
    {
      cause: unsafe.error,
    },
  );
}
