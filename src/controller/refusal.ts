import { consequenceOf, judge, sentence, type Finding } from '../../webhook/rules/engine/judge.ts';
import { SERVICE_RULES } from '../../webhook/rules/index.ts';
import type { ServiceSubject } from '../../webhook/rules/rule.ts';
import type { Facts } from '../inventory/facts.ts';
import { BACKEND } from '../annotation/catalogue/backend.ts';
import { PortcullisError } from '../errors.ts';
import { ENFORCE_ALL } from '../policy/policy.ts';
import type { Parsed } from '../annotation/parse.ts';
import type { Service } from '../objects.ts';

/** What the rules say against a stored Service. */
export interface Refusal {
  /** Whether nothing at all may be done: one of them protects others, or hides which backends are wanted, which then stay as they are. */
  readonly isUnsafe: boolean;
  /** One sentence a fault. */
  readonly reasons: readonly string[];
}

/** Whether it cannot be read which backends are wanted, or how they weigh. */
const hidesBackends = ({ issues }: Parsed): boolean =>
  issues.some(({ option, isPassedOver }) => option in BACKEND && isPassedOver !== true);

/**
 * Judges a Service by the rules of admission, as it may have been stored while the webhook was away. Absent if they let it pass.
 * Rejects when a rule that protects others cannot be evaluated: nothing is written on a guess.
 */
export function refusalOf(object: Service, parsed: Parsed, facts: Facts): Refusal | undefined {
  const subject: ServiceSubject = { kind: 'Service', operation: 'CREATE', object, parsed };
  const { findings, unevaluated } = judge(SERVICE_RULES, subject, { facts, policy: ENFORCE_ALL });
  const broken = unevaluated.find(({ rule }) => rule.tier === 'safety');
  if (broken !== undefined)
    throw new PortcullisError('Bug', `rule ${broken.rule.name} cannot be evaluated`, { cause: broken.error });
  const refusing = findings.filter(
    (finding) =>
      finding.fault.atApplyOnly !== true && consequenceOf(finding, ENFORCE_ALL, object.metadata.namespace) === 'refuse',
  );
  if (refusing.length === 0) return undefined;
  const isUnsafe = refusing.some(({ rule }) => rule.tier === 'safety') || hidesBackends(parsed);
  return { isUnsafe, reasons: refusing.map(reason) };
}

const reason = (finding: Finding): string => `${finding.fault.field}: ${sentence(finding)}`;
