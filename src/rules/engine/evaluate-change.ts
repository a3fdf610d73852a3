import type { Node, Service } from '../../base/kubernetes-objects.ts';
import { requestAbout, type PolicyRequest } from '../../policy/policy-decisions.ts';
import type { PolicyOperation } from '../../policy/custom-resources.ts';
import type { NodeSubject, Rule } from '../rule.ts';
import type { RuleContext } from './evaluate.ts';
import { NO_FINDINGS, ruleResultsOf, type RuleResults } from './rule-results.ts';
import { isSame } from './equality.ts';
import {
  becomesManaged,
  nodeSubject,
  rulesAbout,
  serviceSubject,
  storedSubject,
  wantsLoadBalancer,
} from './subject.ts';

/** A change of a Service: the new object and the stored object. */
export interface ServiceChange {
  readonly object: Service;
  /** Undefined on creation. */
  readonly stored: Service | undefined;
  /** The operation that policies match. A Service that becomes managed counts as created. */
  readonly operation: PolicyOperation;
  /** True if the Service is new, becomes managed, or has another spec or other annotations than before. If false, all violations only warn. */
  readonly mayDeny: boolean;
}

/** Returns the change of a Service in a request or in a manifest. */
export function changeOf(object: Service, stored: Service | undefined): ServiceChange {
  const isNew = stored === undefined || becomesManaged(object, stored);
  return {
    object,
    stored,
    operation: isNew ? 'CREATE' : 'UPDATE',
    mayDeny: isNew || contentChanged(stored, object),
  };
}

/** Returns whether spec or annotations differ. */
const contentChanged = (before: Service, after: Service): boolean =>
  !isSame(before.spec, after.spec) || !isSame(before.metadata.annotations ?? {}, after.metadata.annotations ?? {});

/** Evaluates the rules for a change of a Service, in the webhook and in `portcullis lint`. Violations that the Service had before only warn. */
export function outcomeOfService(
  { object, stored, operation, mayDeny }: ServiceChange,
  namespace: string,
  rules: readonly Rule[],
  context: RuleContext,
): RuleResults {
  const applicable = rulesAbout(object, stored, rules);
  if (applicable.length === 0) return NO_FINDINGS;
  const subject = serviceSubject(object, stored);
  const wasWanted = stored !== undefined && wantsLoadBalancer(stored);
  return ruleResultsOf(
    { rules: applicable, subject, stored: wasWanted ? storedSubject(subject) : undefined, mayDeny, namespace },
    withScopedPolicy(context, requestAbout(object, operation, namespace)),
  );
}

/** A change of a Node: the new object and the stored object. */
export interface NodeChange {
  readonly object: Node;
  readonly stored: Node | undefined;
  /** True if a kubelet or the control plane writes the Node. */
  readonly byCluster: boolean;
  /** If false, all violations only warn. The webhook sets false for registrations and for writes of cluster components. */
  readonly mayDeny: boolean;
}

/** Evaluates the rules for a change of a Node, in the webhook and in `portcullis lint`. */
export function outcomeOfNode(
  { object, stored, byCluster, mayDeny }: NodeChange,
  rules: readonly Rule<NodeSubject>[],
  context: RuleContext,
): RuleResults {
  return ruleResultsOf(
    {
      rules,
      subject: nodeSubject(object, stored, byCluster),
      stored: stored === undefined ? undefined : nodeSubject(stored, undefined, byCluster),
      mayDeny,
      namespace: '',
    },
    withScopedPolicy(context, requestAbout(object, stored === undefined ? 'CREATE' : 'UPDATE')),
  );
}

/** Returns the context with only the policies that apply to the object of a request. */
const withScopedPolicy = ({ facts, policy, expired }: RuleContext, request: PolicyRequest): RuleContext => ({
  facts,
  policy: policy.on?.(request) ?? policy,
  expired,
});
