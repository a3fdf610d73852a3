import type { Node, Service } from '../../base/objects.ts';
import { requestAbout, type Request } from '../../policy/policy.ts';
import type { PolicyOperation } from '../../policy/resource.ts';
import type { NodeSubject, Rule } from '../rule.ts';
import type { RuleContext } from './evaluate.ts';
import { NO_FINDINGS, sortOut, type RuleResults } from './outcome.ts';
import { isSame } from './equality.ts';
import { becomesOurs, nodeSubject, rulesAbout, serviceSubject, storedSubject, wantsLoadBalancer } from './subject.ts';

/** A Service as it is to be, beside what is stored. */
export interface ServiceChange {
  readonly object: Service;
  /** Absent on creation. */
  readonly stored: Service | undefined;
  /** What policies are asked about: one that becomes ours is new to them. */
  readonly operation: PolicyOperation;
  /** Whether anything that rules look at is new; without that all findings only warn. */
  readonly mayDeny: boolean;
}

/** What a request comes to. The finalizer is no content, but for a Service that it makes ours: nothing of that has been judged. */
export function changeOf(object: Service, stored: Service | undefined): ServiceChange {
  const isNew = stored === undefined || becomesOurs(object, stored);
  return {
    object,
    stored,
    operation: isNew ? 'CREATE' : 'UPDATE',
    mayDeny: isNew || contentChanged(stored, object),
  };
}

/** What a person can set and rules look at. Status, finalizers, managed fields and foreign labels are not in it. */
const contentChanged = (before: Service, after: Service): boolean =>
  !isSame(before.spec, after.spec) || !isSame(before.metadata.annotations ?? {}, after.metadata.annotations ?? {});

/** What the rules say of a change, wherever they are asked. Only a fault that the stored object did not have while it was ours denies. */
export function outcomeOfService(
  { object, stored, operation, mayDeny }: ServiceChange,
  namespace: string,
  rules: readonly Rule[],
  surroundings: RuleContext,
): RuleResults {
  const concerned = rulesAbout(object, stored, rules);
  if (concerned.length === 0) return NO_FINDINGS;
  const subject = serviceSubject(object, stored);
  const wasOurs = stored !== undefined && wantsLoadBalancer(stored);
  return sortOut(
    { rules: concerned, subject, stored: wasOurs ? storedSubject(subject) : undefined, mayDeny, namespace },
    boundTo(surroundings, requestAbout(object, operation, namespace)),
  );
}

/** A Node as it is to be, beside what is stored. */
export interface NodeChange {
  readonly object: Node;
  readonly stored: Node | undefined;
  /** Written by a kubelet or the control plane. */
  readonly byCluster: boolean;
  readonly mayDeny: boolean;
}

/** The same for a Node. */
export function outcomeOfNode(
  { object, stored, byCluster, mayDeny }: NodeChange,
  rules: readonly Rule<NodeSubject>[],
  surroundings: RuleContext,
): RuleResults {
  return sortOut(
    {
      rules,
      subject: nodeSubject(object, stored, byCluster),
      stored: stored === undefined ? undefined : nodeSubject(stored, undefined, byCluster),
      mayDeny,
      namespace: '',
    },
    boundTo(surroundings, requestAbout(object, stored === undefined ? 'CREATE' : 'UPDATE')),
  );
}

/** With the policies as they are for one object. */
const boundTo = ({ facts, policy, expired }: RuleContext, request: Request): RuleContext => ({
  facts,
  policy: policy.on?.(request) ?? policy,
  expired,
});
