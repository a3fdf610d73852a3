import { consequenceOf, judge, sentence, type Finding } from '../../webhook/rules/engine/judge.ts';
import { policyRule } from '../../webhook/rules/engine/policy-rule.ts';
import { SERVICE_RULES } from '../../webhook/rules/index.ts';
import type { ServiceSubject } from '../../webhook/rules/rule.ts';
import type { Facts } from '../inventory/facts.ts';
import { BACKEND } from '../annotation/catalogue/backend.ts';
import { PortcullisError } from '../errors.ts';
import { ENFORCE_ALL, requestAbout, type Policy } from '../policy/policy.ts';
import type { Parsed } from '../annotation/parse.ts';
import type { Service } from '../objects.ts';

/** What the rules say against a stored Service. */
export interface Refusal {
  /** Whether nothing at all may be done: one of them protects others, or hides which backends are wanted, which then stay as they are. */
  readonly isUnsafe: boolean;
  /** Whether it may pass without anybody changing the Service: a policy stands in the way, which changes, or counts what others have. */
  readonly mayPass: boolean;
  /** One sentence a fault. */
  readonly reasons: readonly string[];
}

/** Whether it cannot be read which backends are wanted, or how they weigh. */
const hidesBackends = ({ issues }: Parsed): boolean =>
  issues.some(({ option, isPassedOver }) => option in BACKEND && isPassedOver !== true);

/** What a Service is judged by. */
export interface Standards {
  readonly facts: Facts;
  /** Every rule refuses when absent. */
  readonly policy?: Policy;
  /** Whether it has no load balancer yet. What constraints and quotas ask is asked of such alone: a new one takes nothing from anybody. */
  readonly isNew?: boolean;
}

const RULES_FOR_NEW = [...SERVICE_RULES, policyRule];

/**
 * Judges a Service by the rules of admission, as it may have been stored while the webhook was away. Absent if they let it pass.
 * Rejects when a rule that protects others cannot be evaluated: nothing is written on a guess.
 */
export function refusalOf(
  object: Service,
  parsed: Parsed,
  { facts, policy: all = ENFORCE_ALL, isNew = false }: Standards,
): Refusal | undefined {
  const subject: ServiceSubject = { kind: 'Service', operation: 'CREATE', object, parsed };
  const policy = all.on?.(requestAbout(object, isNew ? 'CREATE' : 'UPDATE', object.metadata.namespace)) ?? all;
  const { findings, unevaluated } = judge(isNew ? RULES_FOR_NEW : SERVICE_RULES, subject, { facts, policy });
  const broken = unevaluated.find(({ rule }) => rule.tier === 'safety');
  if (broken !== undefined)
    throw new PortcullisError('Bug', `rule ${broken.rule.name} cannot be evaluated`, { cause: broken.error });
  const refusing = findings.filter(
    (finding) =>
      finding.fault.atApplyOnly !== true && consequenceOf(finding, policy, object.metadata.namespace) === 'refuse',
  );
  if (refusing.length === 0) return undefined;
  const isUnsafe = refusing.some(({ rule }) => rule.tier === 'safety') || hidesBackends(parsed);
  const mayPass = refusing.some(({ fault }) => fault.by !== undefined);
  return { isUnsafe, mayPass, reasons: refusing.map(reason) };
}

const reason = (finding: Finding): string => `${finding.fault.field}: ${sentence(finding)}`;
