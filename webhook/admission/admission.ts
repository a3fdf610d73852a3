import type { Clock } from '../../src/base/clock.ts';
import { PortcullisError, messageOf } from '../../src/base/errors.ts';
import type { Facts } from '../../src/inventory/facts.ts';
import type { Logger } from '../../src/base/log.ts';
import type { Policy } from '../../src/policy/policy-decisions.ts';
import type { Decided, DecisionLog } from './decision-log.ts';
import type { WebhookMetrics } from '../metrics.ts';
import type { Defaults } from '../mutate/policy-defaults.ts';
import { mutate, type DeprecatedKeys } from '../mutate/mutate.ts';
import type { AdmissionRequest, AdmissionResponse } from './admission-review.ts';
import { NO_FINDINGS, type RuleResults } from '../../src/rules/engine/rule-results.ts';
import { OUT_OF_TIME, familyOf } from '../../src/rules/engine/evaluate.ts';
import { nameOf } from '../../src/rules/engine/subject.ts';
import { plain } from '../../src/rules/engine/safe-text.ts';
import type { Decide } from '../server/server.ts';
import { validate, type RuleSet } from './validate.ts';
import { resultOf } from './response.ts';
import { tooBusy } from '../server/review-queue.ts';

/** The dependencies of the handlers. `runWebhook` creates them once, at the start of the process. */
export interface AdmissionDeps {
  readonly facts: Facts;
  readonly policy: Policy;
  readonly rules: RuleSet;
  readonly deprecatedKeys: DeprecatedKeys;
  /** The defaults of policies for new Services. Undefined for no defaults. */
  readonly defaults?: Defaults;
  /** True if an unevaluated hygiene rule, or a lack of time for `/mutate`, also fails the request. */
  readonly strict?: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
  /** Logs every decision. */
  readonly logDecision: DecisionLog;
  /** Runs work after the response is sent, because counting and logging take a third of the time of a decision. */
  readonly afterResponse: (work: () => void) => void;
}

/** Returns the handlers of `/mutate` and `/validate`, which the server calls for each review. Each handler counts and logs its decision. */
export function createAdmission(deps: AdmissionDeps): { readonly mutate: Decide; readonly validate: Decide } {
  return {
    mutate: recorded('mutate', deps, (request, expired) => {
      if (expired() && deps.strict === true) throw tooBusy(NO_TIME_TO_MUTATE);
      if (expired()) return { answer: { allowed: true, warnings: [unmutated(request)] }, decision: 'warned' };
      const answer = mutate(request, deps.deprecatedKeys, deps.defaults);
      return { answer, decision: (answer.patch ?? []).length > 0 ? 'mutated' : 'allowed' };
    }),
    validate: recorded('validate', deps, (request, expired) => {
      const outcome = validate(request, { ...deps, expired });
      deps.afterResponse(() => count(outcome, request, deps));
      failIfUnsafe(outcome, deps.strict === true);
      const { answer, decision } = resultOf(request, outcome);
      return { answer, decision, rules: outcome.denials.length === 0 ? undefined : deniedBy(outcome) };
    }),
  };
}

/** Returns the names of the rules that deny, without duplicates, because a rule can report a denial for each port. */
const deniedBy = ({ denials }: RuleResults): readonly string[] => [...new Set(denials.map(({ rule }) => rule.name))];

const NO_TIME_TO_MUTATE = 'the webhook had no time to apply policy defaults and rewrite deprecated keys: try again';

const unmutated = (request: AdmissionRequest): string =>
  plain(`${nameOf(request)}: the webhook had no time to apply policy defaults and rewrite deprecated keys`);

interface Answered extends Pick<Decided, 'decision' | 'rules'> {
  readonly answer: AdmissionResponse;
}

/** Returns a handler that also logs and counts each decision. An error is recorded as the decision `error`. */
function recorded(
  path: Decided['path'],
  { clock, metrics, logDecision, afterResponse }: AdmissionDeps,
  decide: (request: AdmissionRequest, expired: () => boolean) => Answered,
): Decide {
  return (request, expired, trace) => {
    const startedAt = clock.monotonic();
    const record = (decision: string, rules?: readonly string[]): void => {
      const ms = clock.monotonic() - startedAt;
      afterResponse(() => {
        metrics.decisions.inc({ path, decision, operation: request.operation });
        metrics.duration.observe({ path }, ms / 1_000);
        logDecision({ path, request, decision, rules, ms, trace });
      });
    };
    try {
      const { answer, decision, rules } = decide(request, expired);
      record(decision, rules);
      return answer;
    } catch (error) {
      record('error');
      throw error;
    }
  };
}

function count(outcome: RuleResults, { operation }: AdmissionRequest, { metrics, log }: AdmissionDeps): void {
  if (outcome === NO_FINDINGS) return;
  const { denials, warnings, audited, ratcheted, unevaluated } = outcome;
  for (const [consequence, violations] of [
    ['deny', denials],
    ['warn', warnings],
    ['audit', audited],
  ] as const) {
    for (const { rule } of violations)
      metrics.violations.inc({ rule: familyOf(rule), enforcement_action: consequence, operation });
  }
  if (ratcheted > 0) metrics.ratcheted.inc(ratcheted);
  for (const { rule, error } of unevaluated) {
    metrics.unevaluated.inc({ rule: rule.name, tier: rule.tier });
    // Rules that ran out of time are only counted, because a log line for each of many rules would flood the log.
    if (error !== OUT_OF_TIME)
      log.error({ err: error, rule: rule.name, tier: rule.tier }, 'rule could not be evaluated');
  }
}

/** Throws if an unevaluated rule makes the request unsafe. The API server then applies `failurePolicy`. */
function failIfUnsafe({ denials, unevaluated }: RuleResults, strict: boolean): void {
  const unsafe = unevaluated.find(
    ({ rule, isTolerated }) => rule.tier === 'safety' || (strict && isTolerated !== true),
  );
  if (denials.length > 0 || unsafe === undefined) return;
  if (unsafe.error === OUT_OF_TIME) {
    throw tooBusy(`the webhook had no time to evaluate ${unsafe.rule.tier} rule ${unsafe.rule.name}: try again`);
  }
  throw new PortcullisError(
    'Bug',
    `${unsafe.rule.tier} rule ${unsafe.rule.name} could not be evaluated: ${messageOf(unsafe.error)}`,
    {
      cause: unsafe.error,
    },
  );
}
