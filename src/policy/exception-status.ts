import { announcedAt, announcementAt } from './announcement.ts';
import type { Problem } from './compile.ts';
import type { Exception } from './exceptions.ts';
import type { LoadBalancerException, LoadBalancerExceptionStatus } from './resource.ts';
import { namespacesOf } from './selection.ts';
import { conditionOf, said, type Standing } from './standing.ts';
import type { Survey } from './status.ts';

/** Of an exception that selects no namespace, or for a constraint or a quota that there is not, or not for what it is for; absent where there may be. */
function vainStanding(exception: Exception, survey: Survey): Standing | undefined {
  const { rule, namespace } = exception;
  const { book } = survey;
  const selected = namespacesOf(exception, survey.namespaces, book);
  const nothing = (message: string): Standing => ({
    status: 'False',
    reason: 'MatchesNothing',
    message: `${message}: it lets nothing pass`,
  });
  if (exception.selection?.namespaces !== undefined && selected.length === 0)
    return nothing('no namespace has the labels that it selects');
  if (!rule.startsWith('policy/')) return undefined;
  const policy = book.policies.find(({ constraints, quotas }) =>
    [...constraints, ...quotas].some((each) => each.rule === rule),
  );
  if (policy === undefined)
    return { status: 'False', reason: 'UnknownRule', message: `there is no ${rule}: it lets nothing pass` };
  if (selected.some((name) => book.setFor(name).members.some((member) => member.policy === policy))) return undefined;
  const where = namespace === undefined ? 'any namespace that it selects' : `namespace ${namespace}`;
  return nothing(`policy ${policy.name} is not about ${where}`);
}

/** Whether Services are known, and none has the labels that an exception selects. */
const isForNobody = (exception: Exception, { book, labels, namespaces }: Survey): boolean =>
  exception.selection !== undefined &&
  labels?.hasOne(namespacesOf(exception, namespaces, book), exception.selection.services ?? (() => true)) === false;

function standingOfException(exception: Exception | undefined, problems: readonly Problem[], survey: Survey): Standing {
  if (exception === undefined) return { status: 'False', reason: 'Unusable', message: said(problems) };
  const { rule, expires } = exception;
  const { now } = survey;
  if (now >= expires.ms) return { status: 'False', reason: 'Expired', message: `it ended at ${expires.said}` };
  const vain = vainStanding(exception, survey);
  if (vain !== undefined) return vain;
  const isIdle = isForNobody(exception, survey);
  return {
    status: 'True',
    reason: announcementAt(expires.ms, now) ?? (isIdle ? 'MatchesNothing' : 'InForce'),
    message: `${rule} only warns until ${expires.said}${isIdle ? ', and there is no Service that it selects' : ''}`,
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
