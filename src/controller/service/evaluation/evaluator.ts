import type { ParsedAnnotations } from '../../../annotation/parse.ts';
import { isWhole, QUOTA, type PolicyBlocks } from '../../../clb/guards/policy-blocks.ts';
import type { Facts } from '../../../inventory/facts.ts';
import {
  keyOf,
  namespaceOf,
  type KubernetesObject,
  type ObjectKey,
  type Service,
} from '../../../base/kubernetes-objects.ts';
import type { PolicyCache } from '../../../policy/policy-cache.ts';
import { NO_DEFAULTS_APPLIED, type AppliedDefault } from '../../../policy/annotation-defaults.ts';
import type { PolicySources } from '../../../policy/policy-watch.ts';
import { ENFORCE_ALL, WARN_ALL, type Policy } from '../../../policy/policy-decisions.ts';
import { greatest, NO_USAGE } from '../../../policy/usage.ts';
import { mayChangeSpec, type Watched } from '../../../base/cache-interfaces.ts';
import {
  evaluate,
  isEnforced,
  policyBlocksFor,
  UNREAD_BLOCK,
  UNREAD_DENIAL,
  type ServiceEvaluation,
} from './rule-evaluation.ts';
import type { QuotaLedger } from './quota-ledger.ts';
import { factsWith, type ObservedUsage } from './observed-usage.ts';

/** The evaluation of stored Services by rules and policies, which each reconcile runs before a sync. */
export interface PolicyEvaluator {
  /** Evaluates the rules, and reserves the usage of an admitted new Service. `isNew`: no load balancer was ever known. */
  evaluate(service: Service, parsed: ParsedAnnotations, isNew: boolean): ServiceEvaluation;
  /** Returns the policy blocks on a Service, given its observed state. Reserves the usage that policies admit. */
  policyBlocks(service: Service, parsed: ParsedAnnotations, seen: ObservedUsage): PolicyBlocks;
  /** Returns the defaults that a webhook would have applied to a new Service. Empty if a webhook applied them. */
  defaultsFor(service: Service): readonly AppliedDefault[];
  /** Returns whether a violation of a rule denies the Service, instead of only warning. */
  enforces(service: Service, rule: string): boolean;
  /** Returns whether a change of policies, exceptions, Namespaces or usage could change the decision on a Service. */
  isWaiting(key: ObjectKey): boolean;
  /** Calls `handler` with the waiting Services that a change may admit, oldest first. */
  onUnblocked(handler: (keys: readonly ObjectKey[]) => void): void;
}

export interface PolicyEvaluatorParts {
  readonly services: Watched<Service>;
  /** Undefined if there are no policies to watch. The policy cache gets every change before the evaluator. */
  readonly policies?: Pick<PolicySources, 'policies' | 'exceptions' | 'namespaces'> & {
    readonly policyCache: PolicyCache;
  };
  readonly facts: Facts;
  /** True if policies, and rules that policies can weaken, only warn. The controller then denies only by rules that no policy can weaken. */
  readonly warnOnly: boolean;
  /** The usage that quotas count. */
  readonly ledger: QuotaLedger;
}

const ALWAYS_READ: Pick<EvaluatorState, 'isRead' | 'onRead'> = { isRead: () => true, onRead: () => undefined };

/** Creates the evaluator of the cluster's policies. Without a watch of policies, `warnOnly` alone decides whether rules warn or deny. */
export function createPolicyEvaluator({
  services,
  policies,
  facts,
  warnOnly,
  ledger,
}: PolicyEvaluatorParts): PolicyEvaluator {
  if (policies === undefined)
    return evaluateBy({
      policy: warnOnly ? WARN_ALL : ENFORCE_ALL,
      facts,
      services,
      ledger,
      sources: [],
      ...ALWAYS_READ,
    });
  const { policyCache, exceptions, namespaces } = policies;
  const policy = policyCache.counting(ledger);
  const isRead = (): boolean => warnOnly || policies.policies.hasSynced();
  const onRead = (handler: () => void): void => policies.policies.onSynced(handler);
  const sources = [policies.policies, exceptions, namespaces];
  const shareQuota = (one: string, other: string): boolean => {
    const { shared } = policyCache.setFor(one);
    return shared.length > 0 && policyCache.setFor(other).shared.some((quota) => shared.includes(quota));
  };
  return {
    ...evaluateBy({ policy, facts, services, ledger, shareQuota, sources, isRead, onRead }),
    defaultsFor: (service) => policyCache.defaultsForService(service, facts).applied,
  };
}

interface EvaluatorState extends Pick<PolicyEvaluatorParts, 'services' | 'facts' | 'ledger'> {
  readonly policy: Policy;
  /** Returns whether a quota counts two namespaces together. */
  readonly shareQuota?: (one: string, other: string) => boolean;
  /** The sources of policies, exceptions and Namespaces, whose changes may admit denied Services. */
  readonly sources: readonly Pick<Watched<KubernetesObject>, 'onChange'>[];
  /** Returns whether the policies are read. Until then, everything that a policy might forbid is blocked. */
  readonly isRead: () => boolean;
  /** Calls `handler` once the policies are read. */
  readonly onRead: (handler: () => void) => void;
}

function evaluateBy(state: EvaluatorState): PolicyEvaluator {
  const { policy, facts, services, ledger, isRead } = state;
  const waiting = new Map<ObjectKey, Wait>();
  /** Denied Services, whose usage must not grow. */
  const denied = new Set<ObjectKey>();
  services.onChange(({ before, after }) => {
    if (before === undefined || after !== undefined) return;
    waiting.delete(keyOf(before));
    denied.delete(keyOf(before));
  });
  return {
    evaluate: (service, parsed, isNew) => {
      const key = keyOf(service);
      waiting.delete(key);
      const { isTunable, ...found } = evaluate(service, parsed, { facts, policy, isNew });
      const denial = found.denial ?? (isNew && !isRead() ? UNREAD_DENIAL : undefined);
      if (denial?.isByQuota === true) waiting.set(key, 'quota');
      else if (isTunable || denial?.isByPolicy === true) waiting.set(key, 'policy');
      if (denial === undefined) denied.delete(key);
      else denied.add(key);
      if (isNew && denial === undefined)
        ledger.reserve(service, ledger.requestedBy({ object: service, parsed }, facts));
      return { ineffective: found.ineffective, ...(denial === undefined ? {} : { denial }) };
    },
    policyBlocks: (service, parsed, seen) => {
      const { has: observedUsage = NO_USAGE } = seen;
      const all = isRead() ? policyBlocksFor(service, parsed, { facts, policy, seen }) : [UNREAD_BLOCK];
      const isNew = seen.has === undefined;
      const isOverQuota = all.some(({ rule }) => rule === QUOTA);
      if (all.length > 0) waiting.set(keyOf(service), isOverQuota ? 'quota' : 'policy');
      const isForbidden = denied.has(keyOf(service)) || !isRead() || (isNew && all.some(isWhole));
      const requested = ledger.requestedBy({ object: service, parsed }, factsWith(facts, seen));
      ledger.reserve(service, isForbidden || isOverQuota ? observedUsage : greatest(observedUsage, requested));
      return { isNew, all };
    },
    isWaiting: (key) => waiting.has(key),
    enforces: (service, rule) => isEnforced(service, rule, policy),
    defaultsFor: () => NO_DEFAULTS_APPLIED.applied,
    onUnblocked: (handler) => reportUnblocked(waiting, state, handler),
  };
}

/** The change that a Service waits for. `policy`: a changed policy, exception or Namespace. `quota`: such a change, or a lower usage. */
type Wait = 'policy' | 'quota';

const ageOf = (service: Service | undefined): string =>
  `${service?.metadata.creationTimestamp ?? ''} ${service?.metadata.uid ?? ''}`;

function reportUnblocked(
  waiting: ReadonlyMap<ObjectKey, Wait>,
  { sources, services, onRead, ledger, shareQuota }: EvaluatorState,
  handler: (keys: readonly ObjectKey[]) => void,
): void {
  const wake = (isConcerned: (key: ObjectKey, wait: Wait) => boolean = () => true): void => {
    const keys = [...waiting].flatMap(([key, wait]) => (isConcerned(key, wait) ? [key] : []));
    const aged = keys.map((key) => ({ key, age: ageOf(services.get(key)) }));
    if (keys.length > 0) handler(aged.sort((left, right) => (left.age < right.age ? -1 : 1)).map(({ key }) => key));
  };
  for (const source of sources) {
    source.onChange((change) => {
      if (waiting.size > 0 && mayChangeSpec(change)) wake();
    });
  }
  onRead(() => wake());
  ledger.onFall((namespace) => {
    if (waiting.size === 0) return;
    wake((key, wait) => {
      const other = namespaceOf(key);
      return wait === 'quota' && (other === namespace || shareQuota?.(namespace, other) === true);
    });
  });
}
