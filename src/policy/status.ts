import type { PolicyBook } from './book.ts';
import type { Policy, Problem } from './compile.ts';
import { contradictionsIn, doubtsOf, type Contradiction } from './contradictions.ts';
import { announcedAt, announcementAt } from './announcement.ts';
import type { Exception } from './exceptions.ts';
import type { PolicySet } from './policy-set.ts';
import { quotaUsage } from './quota-usage.ts';
import { refusedIn } from './refused-defaults.ts';
import type {
  LoadBalancerException,
  LoadBalancerExceptionStatus,
  LoadBalancerPolicy,
  LoadBalancerPolicyStatus,
  StatusCondition,
} from './resource.ts';
import { violationsOf, type Places } from './violations.ts';

const MOST_PROBLEMS = 5;
const MOST_RULES = 5;
/** The API server takes 32,768 in a message; nobody reads as many. */
const MOST_CHARACTERS = 4_000;

type Standing = Pick<StatusCondition, 'status' | 'reason' | 'message'>;

const said = (problems: readonly Problem[]): string => {
  const more = problems.length - MOST_PROBLEMS;
  const told = problems.slice(0, MOST_PROBLEMS).map(({ path, message }) => `${path}: ${message}`);
  return `${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
};

/** The condition as it is to be from now on; as it was where nothing has changed. */
function conditionOf(
  type: string,
  standing: Standing,
  generation: number,
  before: readonly StatusCondition[] | undefined,
  now: number,
): StatusCondition {
  const was = before?.find((condition) => condition.type === type);
  const moment = `${new Date(now).toISOString().slice(0, 19)}Z`;
  return {
    type,
    ...standing,
    message: standing.message.slice(0, MOST_CHARACTERS),
    observedGeneration: generation,
    lastTransitionTime: was?.status === standing.status ? was.lastTransitionTime : moment,
  };
}

/** A cluster as statuses tell of it, looked at once for all of them. */
export interface Survey {
  readonly book: PolicyBook;
  /** The namespaces that each policy selects; none for one that is not here. */
  readonly selected: ReadonlyMap<Policy, readonly string[]>;
  readonly sets: ReadonlySet<PolicySet>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What is found in stored Services; absent as long as they have not been looked through. */
  readonly places?: Places;
}

export function surveyOf(book: PolicyBook, namespaces: Iterable<string>, now: number, places?: Places): Survey {
  const selected = new Map<Policy, string[]>();
  const sets = new Set<PolicySet>();
  for (const namespace of namespaces) {
    const set = book.setFor(namespace);
    sets.add(set);
    for (const { policy } of set.members) {
      const known = selected.get(policy);
      if (known === undefined) selected.set(policy, [namespace]);
      else known.push(namespace);
    }
  }
  return { book, selected, sets, now, ...(places === undefined ? {} : { places }) };
}

const doubts = new WeakMap<Policy, readonly Problem[]>();
const conflicts = new WeakMap<PolicySet, readonly Contradiction[]>();
const refused = new WeakMap<PolicySet, ReadonlyMap<Policy, readonly Problem[]>>();

/** Worked out once for what never changes. */
function remembered<Key extends object, Result>(
  memory: WeakMap<Key, Result>,
  key: Key,
  work: (key: Key) => Result,
): Result {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const result = work(key);
  memory.set(key, result);
  return result;
}

/** Constraints of policies that are about all Services of the same namespaces, and cannot all be met. */
const conflictsIn = ({ members }: PolicySet): readonly Contradiction[] =>
  contradictionsIn(
    members
      .filter(({ policy }) => policy.services === undefined && policy.operations === undefined)
      .flatMap(({ policy }) => policy.constraints),
  );

/** The rules that conflict: some of the policy's own and some of others', the rest by their number. */
function namedOf(rules: readonly string[], own: ReadonlySet<string>): string {
  const [ours, others] = [rules.filter((rule) => own.has(rule)), rules.filter((rule) => !own.has(rule))];
  const some = ours.slice(0, Math.max(1, MOST_RULES - others.length));
  const named = [...some, ...others.slice(0, MOST_RULES - some.length)].sort();
  const more = rules.length - named.length;
  return more === 0 ? named.join(' and ') : `${named.join(', ')} and ${more} more`;
}

const distinct = (problems: readonly Problem[]): readonly Problem[] => [
  ...new Map(problems.map((problem) => [`${problem.path}: ${problem.message}`, problem])).values(),
];

/** Where the policy is in force together with others, and not all can be obeyed. */
function conflictsOf(policy: Policy, { sets }: Survey): readonly Problem[] {
  const own = new Set(policy.constraints.map(({ rule }) => rule));
  const found = [...sets].flatMap((set) => remembered(conflicts, set, conflictsIn));
  const problems = found
    .filter(({ rules }) => rules.some((rule) => own.has(rule)) && rules.some((rule) => !own.has(rule)))
    .map(({ about, rules }) => ({
      path: namedOf(rules, own),
      message: `nothing can be what they ask for of ${about}`,
    }));
  return distinct(problems);
}

/** The policy's defaults that another refuses, where both are in force. */
const refusedOf = (policy: Policy, { sets }: Survey): readonly Problem[] =>
  distinct([...sets].flatMap((set) => remembered(refused, set, refusedIn).get(policy) ?? []));

function standingOf(policy: Policy, survey: Survey, selected: readonly string[]): Standing {
  if (policy.problems.length > 0) return { status: 'False', reason: 'PartlyInForce', message: said(policy.problems) };
  const problems = [
    ...remembered(doubts, policy, doubtsOf),
    ...conflictsOf(policy, survey),
    ...refusedOf(policy, survey),
  ];
  if (problems.length > 0) return { status: 'False', reason: 'Contradiction', message: said(problems) };
  if (selected.length === 0 && policy.namespaces !== undefined) {
    return { status: 'False', reason: 'MatchesNothing', message: 'no namespace has the labels that it selects' };
  }
  return { status: 'True', reason: 'InForce', message: `in force in ${selected.length} namespaces` };
}

/** What a policy's status is to say; absent as long as the policy is not known. */
export function policyStatus(
  { metadata, status }: LoadBalancerPolicy,
  survey: Survey,
): LoadBalancerPolicyStatus | undefined {
  const policy = survey.book.policy(metadata.name);
  if (policy === undefined) return undefined;
  const selected = survey.selected.get(policy) ?? [];
  const standing = standingOf(policy, survey, selected);
  return {
    observedGeneration: policy.generation,
    namespaces: selected.length,
    conditions: [conditionOf('Ready', standing, policy.generation, status?.conditions, survey.now)],
    ...(policy.quotas.length === 0 ? {} : { usage: quotaUsage(policy, survey.book, selected) }),
    ...(survey.places === undefined ? {} : { violations: violationsOf(policy, survey.places, selected) }),
  };
}

/** Of an exception for a constraint or a quota that there is not, or not for its object; absent where there may be. */
function vainStanding({ rule, namespace }: Exception, { book }: Survey): Standing | undefined {
  if (!rule.startsWith('policy/')) return undefined;
  const policy = book.policies.find(({ constraints, quotas }) =>
    [...constraints, ...quotas].some((each) => each.rule === rule),
  );
  if (policy === undefined)
    return { status: 'False', reason: 'UnknownRule', message: `there is no ${rule}: it lets nothing pass` };
  if (namespace === undefined || book.setFor(namespace).members.some((member) => member.policy === policy))
    return undefined;
  const message = `policy ${policy.name} is not about namespace ${namespace}: it lets nothing pass`;
  return { status: 'False', reason: 'MatchesNothing', message };
}

function standingOfException(exception: Exception | undefined, problems: readonly Problem[], survey: Survey): Standing {
  if (exception === undefined) return { status: 'False', reason: 'Unusable', message: said(problems) };
  const { rule, expires } = exception;
  const { now } = survey;
  if (now >= expires.ms) return { status: 'False', reason: 'Expired', message: `it ended at ${expires.said}` };
  const vain = vainStanding(exception, survey);
  if (vain !== undefined) return vain;
  return {
    status: 'True',
    reason: announcementAt(expires.ms, now) ?? 'InForce',
    message: `${rule} only warns until ${expires.said}`,
  };
}

/** What an exception's status is to say. */
export function exceptionStatus(
  { metadata, status }: LoadBalancerException,
  survey: Survey,
): LoadBalancerExceptionStatus {
  const { book, now } = survey;
  const exception = book.exception(metadata.name);
  const standing = standingOfException(exception, book.problemsOfException(metadata.name), survey);
  const generation = metadata.generation ?? 0;
  const before = status?.announced;
  const announced = exception === undefined ? before : announcedAt(before, exception.expires.ms, now);
  return {
    observedGeneration: generation,
    conditions: [conditionOf('Active', standing, generation, status?.conditions, now)],
    ...(announced === undefined ? {} : { announced }),
  };
}
