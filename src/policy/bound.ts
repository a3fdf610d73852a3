import type { Facts } from '../inventory/facts.ts';
import { allowedWords, holds, type Condition, type Look } from './condition.ts';
import type { Constraint, Policy as Compiled } from './compile.ts';
import type { ServiceView } from './counting-value.ts';
import { atMostWarning, insistenceAt, stricter, type Insistence } from './enforcement.ts';
import type { Exceptions } from './exceptions.ts';
import type { Mode, Policy, PolicyFault, Request } from './policy.ts';
import type { Breach, Opinion, PolicySet } from './policy-set.ts';
import type { Labelled } from './selector.ts';
import { every } from './truth.ts';

/** What policies come to for one request. */
export interface Binding {
  readonly set: PolicySet;
  readonly exceptions: Exceptions;
  readonly namespace: Labelled;
  readonly request: Request;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** No rule refuses: everything warns at most. */
  readonly warnOnly: boolean;
  /** What quotas find, if there are any. */
  readonly overQuota: (view: ServiceView) => readonly PolicyFault[];
}

/** An insistence, with what people are told of it. */
interface Decision extends Insistence {
  readonly note?: string;
}

const NONE: readonly PolicyFault[] = [];
const ENFORCE: Insistence = { mode: 'enforce' };

/** Whether a policy is about a request, of whose namespace it is about. */
export const concerns = ({ services, operations }: Compiled, { labels, operation }: Request): boolean =>
  operations?.has(operation) !== false && (services === undefined || services({ labels, isComplete: true }) === true);

/** The strictest of those that are sure; where none is, the mildest of the rest, and as if nobody had said anything where there is none. */
function combined(opinions: readonly Opinion[], now: number): Insistence {
  const at = ({ enforcement }: Opinion): Insistence => insistenceAt(enforcement, now);
  const sure = opinions.filter(({ isSure }) => isSure).map(at);
  if (sure.length > 0) return sure.reduce(stricter);
  return opinions.map(at).reduce((left, right) => (stricter(left, right) === left ? right : left), ENFORCE);
}

function fixOf({ message }: Constraint, { condition, why, value }: Breach, found: string): string {
  if (message !== '') return message;
  const { name } = condition.aspect;
  if (why === 'present') return `remove ${name}`;
  if (why === 'absent') return `set ${name}`;
  return found === '' ? `set ${name}: where nothing is said, ${String(value)} counts` : `change ${name}`;
}

/** Policies and exceptions as they are for one object at one moment. */
export class Bound implements Policy {
  readonly #of: Binding;
  readonly #decided = new Map<string, Decision>();

  constructor(binding: Binding) {
    this.#of = binding;
  }

  mode(rule: string): Mode {
    return this.#decide(rule).mode;
  }

  note(rule: string): string | undefined {
    return this.#decide(rule).note;
  }

  faults(view: ServiceView, facts: Facts): readonly PolicyFault[] {
    const { set, request, overQuota } = this.#of;
    const names = { cluster: facts.cluster()?.clusterId ?? '', namespace: request.namespace, name: request.name };
    const look: Look = { view, facts, names };
    const breaches = set.breachesOf(look);
    const over = set.quotas.length === 0 ? NONE : overQuota(view);
    if (breaches.length === 0) return over;
    const faults = breaches.flatMap((breach) => this.#faultsOf(breach, look));
    return [...faults.sort(byRule), ...over];
  }

  #faultsOf(breach: Breach, look: Look): readonly PolicyFault[] {
    const { condition, index, constraints } = breach;
    const applying = constraints.filter((constraint) => this.#applies(constraint, look));
    if (applying.length === 0) return NONE;
    const place = condition.aspect.placeOf(look.view, index);
    const allowed = wordsOf(condition);
    return applying.map((constraint) => ({
      ...place,
      allowed,
      fix: fixOf(constraint, breach, place.found),
      by: constraint.rule,
    }));
  }

  #applies({ policy, when }: Constraint, look: Look): boolean {
    return concerns(policy, this.#of.request) && every(when, (condition) => holds(condition, look)) === true;
  }

  #decide(rule: string): Decision {
    const known = this.#decided.get(rule);
    if (known !== undefined) return known;
    const decision = this.#lifted(rule, this.#insistenceOn(rule));
    this.#decided.set(rule, decision);
    return decision;
  }

  #insistenceOn(rule: string): Decision {
    const { set, request, now } = this.#of;
    const own = set.rules.get(rule);
    if (own === undefined) {
      const opinions = set.opinions.get(rule)?.filter(({ policy }) => concerns(policy, request));
      return opinions === undefined ? ENFORCE : combined(opinions, now);
    }
    const insistence = insistenceAt(own.enforcement, now);
    if (own.isSure) return insistence;
    return { ...atMostWarning(insistence), note: 'the labels of the namespace are not known yet' };
  }

  #lifted(rule: string, decision: Decision): Decision {
    const { exceptions, request, namespace, now, warnOnly } = this.#of;
    const noted = decision.from === undefined ? decision : { ...decision, note: `refused from ${decision.from} on` };
    if (noted.mode === 'audit') return noted;
    const exception = exceptions.find(rule, request, namespace, now);
    if (exception !== undefined) {
      const { name, owner, expires } = exception;
      return { mode: 'warn', note: `LoadBalancerException ${name} of ${owner} lets it pass until ${expires.said}` };
    }
    return warnOnly && noted.mode === 'enforce' ? { mode: 'warn' } : noted;
  }
}

const words = new WeakMap<Condition, string>();

/** What a condition allows, put into words once. */
function wordsOf(condition: Condition): string {
  const known = words.get(condition);
  if (known !== undefined) return known;
  const said = allowedWords(condition);
  words.set(condition, said);
  return said;
}

const byRule = (left: PolicyFault, right: PolicyFault): number =>
  left.by < right.by ? -1 : left.by > right.by ? 1 : left.field < right.field ? -1 : left.field > right.field ? 1 : 0;
