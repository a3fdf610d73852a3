import type { Facts } from '../src/inventory/facts.ts';
import type { Node, Service } from '../src/objects.ts';
import { requestAbout, type Policy, type Request } from '../src/policy/policy.ts';
import { NODE_RULES, SERVICE_RULES } from './rules/index.ts';
import type { NodeSubject, Rule } from './rules/rule.ts';
import { SILENCE, sortOut, type Outcome } from './rules/engine/outcome.ts';
import { nodeSubject, rulesAbout, serviceSubject, storedSubject, wantsLoadBalancer } from './rules/engine/subject.ts';
import { haveSameMarks } from './rules/engine/marks.ts';
import { policyRule } from './rules/engine/policy-rule.ts';
import type { AdmissionRequest } from './review.ts';
import { isOfCluster } from './requester.ts';
import { isSame } from './same.ts';
import { nodeIn, serviceIn } from './shape.ts';

export interface RuleBook {
  readonly service: readonly Rule[];
  readonly node: readonly Rule<NodeSubject>[];
}

/** The built-in rules, and what policies ask for beside them. */
export const ALL_RULES: RuleBook = { service: [...SERVICE_RULES, policyRule], node: NODE_RULES };

export interface Context {
  readonly facts: Facts;
  readonly policy: Policy;
  readonly rules: RuleBook;
  readonly expired: () => boolean;
}

/**
 * Judges a request by the rules. Only a fault that the stored object did not have refuses; an update that leaves spec and annotations as
 * they are is never refused, whatever is wrong with the object. What is not ours (other kinds, subresources, deletion) is passed in silence.
 * Throws `InvalidObject` when the object is none of its kind.
 */
export function validate(request: AdmissionRequest, context: Context): Outcome {
  if (request.subResource !== undefined && request.subResource !== '') return SILENCE;
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return SILENCE;
  if (request.kind.group !== '') return SILENCE;
  switch (request.kind.kind) {
    case 'Service':
      return validateService(request, context);
    case 'Node':
      return validateNode(request, context);
    default:
      return SILENCE;
  }
}

function validateService(request: AdmissionRequest, context: Context): Outcome {
  const object = serviceIn(request.object);
  const stored = request.operation === 'UPDATE' ? serviceIn(request.oldObject) : undefined;
  const isChanged = stored === undefined || contentChanged(stored, object);
  if (!isChanged && haveSameMarks(stored, object)) return SILENCE;
  const rules = rulesAbout(object, stored, context.rules.service);
  if (rules.length === 0) return SILENCE;
  const subject = serviceSubject(object, stored);
  return sortOut(
    {
      rules,
      subject,
      stored: stored !== undefined && wantsLoadBalancer(stored) ? storedSubject(subject) : undefined,
      mayRefuse: isChanged,
      namespace: request.namespace,
    },
    boundTo(context, requestAbout(object, stored === undefined ? 'CREATE' : 'UPDATE', request.namespace)),
  );
}

/** With the policies as they are for one object. */
function boundTo(context: Context, request: Request): Context {
  const policy = context.policy.on?.(request);
  return policy === undefined || policy === context.policy ? context : { ...context, policy };
}

/** A Node is never kept from being registered, and never refused to those who keep the cluster running: they could not read why. */
function validateNode(request: AdmissionRequest, context: Context): Outcome {
  const object = nodeIn(request.object);
  const stored = request.operation === 'UPDATE' ? nodeIn(request.oldObject) : undefined;
  if (stored !== undefined && isSame(lookedAt(stored), lookedAt(object))) return SILENCE;
  const byCluster = isOfCluster(request.userInfo);
  return sortOut(
    {
      rules: context.rules.node,
      subject: nodeSubject(object, stored, byCluster),
      stored: stored === undefined ? undefined : nodeSubject(stored, undefined, byCluster),
      mayRefuse: stored !== undefined && !byCluster,
      namespace: '',
    },
    boundTo(context, requestAbout(object, stored === undefined ? 'CREATE' : 'UPDATE')),
  );
}

/** What rules look at of a Node: neither heartbeats nor taints. */
const lookedAt = ({ metadata, spec }: Node): object => [
  metadata.labels ?? {},
  spec?.providerID ?? '',
  spec?.podCIDRs ?? spec?.podCIDR ?? '',
];

/** What a person can set and rules look at. Status, finalizers, managed fields and foreign labels are not in it. */
const contentChanged = (before: Service, after: Service): boolean =>
  !isSame(before.spec, after.spec) || !isSame(before.metadata.annotations ?? {}, after.metadata.annotations ?? {});
