import { splitKey } from '../base/kubernetes-objects.ts';
import { announcedAt, announcementAt } from './exception-expiry-announcement.ts';
import type { PolicyCache } from './policy-cache.ts';
import type { CompiledPolicy, Problem } from './compile.ts';
import type { Exception } from './exceptions.ts';
import type { LoadBalancerException, LoadBalancerExceptionStatus } from './custom-resources.ts';
import { statusConditionOf, problemsText, type ConditionState } from './status-condition.ts';
import type { StatusInputs } from './status.ts';

const noMatches = (message: string): ConditionState => ({
  status: 'False',
  reason: 'NoMatches',
  message: `${message}, so the exception has no effect`,
});

/** Returns the policy that contains the constraint or quota of an exception. */
function policyOf({ rule }: Exception, policyCache: PolicyCache): CompiledPolicy | undefined {
  const [, name = ''] = rule.split('/');
  const policy = policyCache.policy(name);
  return [...(policy?.constraints ?? []), ...(policy?.quotas ?? [])].some((each) => each.rule === rule)
    ? policy
    : undefined;
}

/** Returns the condition of an exception if `policy` selects none of the exception's namespaces. Otherwise, returns undefined. */
function whyIneffective(
  policy: CompiledPolicy,
  { service, selection }: Exception,
  { policyCache, labels }: StatusInputs,
): ConditionState | undefined {
  if (service === undefined) {
    if (labels.hasNamespace([policy.namespaces, selection?.namespaces])) return undefined;
    return noMatches(`policy ${policy.name} applies to no namespace that the exception selects`);
  }
  const { namespace = '' } = splitKey(service);
  if (policy.namespaces?.(policyCache.labelled(namespace)) !== false) return undefined;
  return noMatches(`policy ${policy.name} does not apply to namespace ${namespace}`);
}

/** Returns the reason why an exception covers no stored Service. For a built-in rule, `policy` is undefined. */
function reasonForNoMatch(
  { service, selection }: Exception,
  policy: CompiledPolicy | undefined,
  { labels }: StatusInputs,
): string | undefined {
  const unselected = `policy ${policy?.name ?? ''} does not select`;
  if (service !== undefined) {
    if (labels.hasServiceNamed(service, policy) !== false) return undefined;
    const isThere = labels.hasServiceNamed(service) === true;
    return isThere ? `${unselected} the Service` : `there is no Service ${service} of type LoadBalancer`;
  }
  if (selection === undefined || labels.hasService(selection, policy) !== false) return undefined;
  const isThere = labels.hasService(selection) === true;
  return isThere ? `${unselected} any Service of the exception` : 'the exception selects no Service';
}

function stateOfException(
  exception: Exception | undefined,
  problems: readonly Problem[],
  inputs: StatusInputs,
): ConditionState {
  if (exception === undefined) return { status: 'False', reason: 'Unusable', message: problemsText(problems) };
  const { rule, expires, selection } = exception;
  const { policyCache, labels, now } = inputs;
  if (now >= expires.ms)
    return { status: 'False', reason: 'Expired', message: `the exception expired at ${expires.text}` };
  if (selection?.namespaces !== undefined && !labels.hasNamespace([selection.namespaces]))
    return noMatches('no namespace has the labels that the exception selects');
  const policy = policyOf(exception, policyCache);
  if (policy === undefined && rule.startsWith('policy/'))
    return { status: 'False', reason: 'UnknownRule', message: `there is no ${rule}, so the exception has no effect` };
  const ineffective = policy && whyIneffective(policy, exception, inputs);
  if (ineffective !== undefined) return ineffective;
  const noMatch = reasonForNoMatch(exception, policy, inputs);
  return {
    status: 'True',
    reason: announcementAt(expires.ms, now) ?? (noMatch === undefined ? 'Accepted' : 'NoMatches'),
    message: `${rule} only warns until ${expires.text}${noMatch === undefined ? '' : `, but ${noMatch}`}`,
  };
}

/** Returns the status of an exception. The policy controller writes the status when a policy, an exception or a Service changes. */
export function exceptionStatus(
  { metadata, status }: LoadBalancerException,
  inputs: StatusInputs,
): LoadBalancerExceptionStatus {
  const { policyCache, now } = inputs;
  const exception = policyCache.exception(metadata.name);
  const state = stateOfException(exception, policyCache.problemsOfException(metadata.name), inputs);
  const generation = metadata.generation ?? 0;
  const before = status?.announced;
  const announced = exception === undefined ? before : announcedAt(before, exception.expires.ms, now);
  return {
    observedGeneration: generation,
    conditions: [statusConditionOf('Active', state, generation, status?.conditions, now)],
    ...(announced === undefined ? {} : { announced }),
  };
}
