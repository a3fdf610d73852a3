import type { Node, Service } from '../../base/objects.ts';
import { requestAbout, type PolicyRequest } from '../../policy/policy.ts';
import type { PolicyOperation } from '../../policy/resource.ts';
import type { NodeSubject, Rule } from '../rule.ts';
import type { RuleContext } from './evaluate.ts';
import { NO_FINDINGS, sortOut, type RuleResults } from './outcome.ts';
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
  /** The operation that policies see. A Service that becomes managed counts as created. */
  readonly operation: PolicyOperation;
  /** Whether a field that rules check has changed. If not, all violations only warn. */
  readonly mayDeny: boolean;
}

/** Returns the change in a request. A finalizer counts as a change only if it makes the controller responsible for the Service. */
export function changeOf(object: Service, stored: Service | undefined): ServiceChange {
  const isNew = stored === undefined || becomesManaged(object, stored);
  return {
    object,
    stored,
    operation: isNew ? 'CREATE' : 'UPDATE',
    mayDeny: isNew || contentChanged(stored, object),
  };
}

/** Returns whether spec or annotations differ. Rules check no other fields that users set: no status, finalizers, managed fields or labels. */
const contentChanged = (before: Service, after: Service): boolean =>
  !isSame(before.spec, after.spec) || !isSame(before.metadata.annotations ?? {}, after.metadata.annotations ?? {});

/** Evaluates the rules for a change. Rules deny only violations that the stored Service did not have while the controller managed it. */
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
  return sortOut(
    { rules: applicable, subject, stored: wasWanted ? storedSubject(subject) : undefined, mayDeny, namespace },
    withScopedPolicy(context, requestAbout(object, operation, namespace)),
  );
}

/** A change of a Node: the new object and the stored object. */
export interface NodeChange {
  readonly object: Node;
  readonly stored: Node | undefined;
  /** Whether a kubelet or the control plane writes the Node. */
  readonly byCluster: boolean;
  readonly mayDeny: boolean;
}

/** Evaluates the rules for a change of a Node. */
export function outcomeOfNode(
  { object, stored, byCluster, mayDeny }: NodeChange,
  rules: readonly Rule<NodeSubject>[],
  context: RuleContext,
): RuleResults {
  return sortOut(
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

/** Returns the context with the policies of one object. */
const withScopedPolicy = ({ facts, policy, expired }: RuleContext, request: PolicyRequest): RuleContext => ({
  facts,
  policy: policy.on?.(request) ?? policy,
  expired,
});
