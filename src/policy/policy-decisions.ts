import type { AttributeKey } from '../clb/guards/blockable-attributes.ts';
import type { Facts } from '../inventory/facts.ts';
import type { FieldError } from '../base/field-error.ts';
import type { ObjectMeta } from '../base/kubernetes-objects.ts';
import type { ServiceView } from './effective-value.ts';
import type { Target } from './exceptions.ts';
import type { Mode, PolicyOperation } from './custom-resources.ts';
import type { Usage } from './usage.ts';

export type { Mode } from './custom-resources.ts';

/** A violation of a constraint or quota of a policy. The built-in rule `policy` returns these violations. */
export interface PolicyViolation extends FieldError {
  readonly field: string;
  /** The effective value, if the Service sets no valid value. By this value, ratcheting recognizes the same violation in the stored object. */
  readonly effective?: string;
  readonly remedy?: string;
  /** The name `policy/<policy>/<constraint or quota>`, to which modes and exceptions refer. */
  readonly by: string;
  /** The message for the status condition of a stored Service. Set by quotas only. */
  readonly quotaMessage?: string;
  /** Returns the load balancer attributes that the constraint or quota concerns, including the attributes in `when`. */
  about(): readonly AttributeKey[];
}

/** The object and the operation of a request, by which policies select requests. */
export interface PolicyRequest extends Target {
  readonly operation: PolicyOperation;
  /** The usage of the Service in the cloud, which quotas always admit. Undefined if unknown. */
  readonly has?: Usage;
}

/** The decisions of the platform team about rules, constraints and quotas, as the evaluation of rules reads them. */
export interface Policy {
  /** Returns the mode of a tunable rule for an object of this namespace. */
  mode(rule: string, namespace: string): Mode;
  /** Returns a note for a warning of a rule, such as the date from which the rule denies, or the end of an exception. */
  note?(rule: string): string | undefined;
  /** Returns the violations of constraints and quotas. */
  violations?(view: ServiceView, facts: Facts): readonly PolicyViolation[];
  /** Returns the policy for one request at the current time, which combines all policies and exceptions. */
  on?(request: PolicyRequest): Policy;
}

/** A policy in which every rule denies. */
export const ENFORCE_ALL: Policy = { mode: () => 'enforce' };

/** A policy in which every tunable rule warns, so that operators see which requests would be denied. */
export const WARN_ALL: Policy = { mode: () => 'warn' };

const NO_LABELS: Readonly<Record<string, string>> = {};

/** Returns a request for a Service, or for a Node if the namespace is empty. */
export const requestAbout = (
  { metadata }: { readonly metadata: Partial<ObjectMeta> },
  operation: PolicyOperation,
  namespace = '',
): PolicyRequest => ({
  kind: namespace === '' ? 'Node' : 'Service',
  operation,
  namespace,
  // Undefined until the API server generates a name from `generateName`.
  name: metadata.name ?? '',
  labels: metadata.labels ?? NO_LABELS,
});
