import type { AttributeKey } from '../clb/guards/attribute-keys.ts';
import type { Facts } from '../inventory/facts.ts';
import type { FieldError } from '../base/field-error.ts';
import type { ObjectMeta } from '../base/objects.ts';
import type { ServiceView } from './effective-value.ts';
import type { Target } from './exceptions.ts';
import type { Mode, PolicyOperation } from './resource.ts';
import type { Usage } from './usage.ts';

export type { Mode } from './resource.ts';

/** A violation of a constraint or quota of a policy; see `Violation` of the rules. */
export interface PolicyViolation extends FieldError {
  readonly field: string;
  /** The value in effect if no readable value is written. Writing this value, or removing the annotation, keeps the same violation. */
  readonly effective?: string;
  readonly remedy?: string;
  /** `policy/<policy>/<constraint or quota>`. Modes and exceptions refer to this name. */
  readonly by: string;
  /** The message for the condition of a stored Service. Set by quotas only. */
  readonly quota?: string;
  /** Returns the affected load balancer attributes, including those of the conditions. Only the controller calls it. */
  about(): readonly AttributeKey[];
}

/** A request with its object. */
export interface PolicyRequest extends Target {
  readonly operation: PolicyOperation;
  /** The usage of the Service in the cloud, which quotas always admit. Undefined if unknown. */
  readonly has?: Usage;
}

/** The decisions of the platform team about the rules. */
export interface Policy {
  /** Returns the mode of a tunable rule for an object of this namespace. */
  mode(rule: string, namespace: string): Mode;
  /** Returns a note for a warning of the rule: the date from which it denies, or the end of the exception. */
  note?(rule: string): string | undefined;
  /** Returns the violations of constraints and quotas. */
  violations?(view: ServiceView, facts: Facts): readonly PolicyViolation[];
  /** Returns the policy for one object at the current time: the result of all policies and exceptions. */
  on?(request: PolicyRequest): Policy;
}

/** A policy in which every rule denies. */
export const ENFORCE_ALL: Policy = { mode: () => 'enforce' };

/** A policy in which every tunable rule warns, to find out which requests would be denied. */
export const WARN_ALL: Policy = { mode: () => 'warn' };

const NO_LABELS: Readonly<Record<string, string>> = {};

/** Returns a request about a Service of a namespace, or about a Node if the namespace is empty. The name is empty until it is generated. */
export const requestAbout = (
  { metadata }: { readonly metadata: Partial<ObjectMeta> },
  operation: PolicyOperation,
  namespace = '',
): PolicyRequest => ({
  kind: namespace === '' ? 'Node' : 'Service',
  operation,
  namespace,
  name: metadata.name ?? '',
  labels: metadata.labels ?? NO_LABELS,
});
