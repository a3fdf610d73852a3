import type { AttributeKey } from '../clb/guards/attribute-keys.ts';
import type { Facts } from '../inventory/facts.ts';
import type { ObjectMeta } from '../base/objects.ts';
import type { ServiceView } from './effective-value.ts';
import type { Target } from './exceptions.ts';
import type { Mode, PolicyOperation } from './resource.ts';
import type { Usage } from './usage.ts';

export type { Mode } from './resource.ts';

/** What a constraint or a quota of a policy finds wrong; see the faults of rules. */
export interface PolicyViolation {
  readonly field: string;
  readonly found: string;
  /** What counts where nothing that can be read is written: to write the same, or to say it no more, is the same fault. */
  readonly counts?: string;
  readonly allowed: string;
  readonly fix: string;
  /** `policy/<policy>/<constraint or quota>`: also what is asked for its mode, and what an exception names. */
  readonly by: string;
  /** Set by a quota: the sentence for the condition of a stored Service. */
  readonly quota?: string;
  /** What of the load balancer it is about, all conditions counted. For the controller alone: admission never asks. */
  about(): readonly AttributeKey[];
}

/** The object of a request, and the request. */
export interface Request extends Target {
  readonly operation: PolicyOperation;
  /** What the Service has in the cloud, which quotas admit unconditionally; absent if not known. */
  readonly has?: Usage;
}

/** What the platform team has decided about the rules. */
export interface Policy {
  /** The mode of a tunable rule for an object of this namespace. */
  mode(rule: string, namespace: string): Mode;
  /** What people are to be told beside a warning of the rule: from when on it denies, or until when it is lifted. */
  note?(rule: string): string | undefined;
  /** What constraints and quotas find. */
  faults?(view: ServiceView, facts: Facts): readonly PolicyViolation[];
  /** The same for one object: what rules of several policies, and exceptions, come to there and now. */
  on?(request: Request): Policy;
}

/** Every rule denies. */
export const ENFORCE_ALL: Policy = { mode: () => 'enforce' };

/** Every tunable rule warns: for getting to know what would be denied. */
export const WARN_ALL: Policy = { mode: () => 'warn' };

const NO_LABELS: Readonly<Record<string, string>> = {};

/** A request about a Service of that namespace, or else about a Node. The name is empty while it is yet to be generated. */
export const requestAbout = (
  { metadata }: { readonly metadata: Partial<ObjectMeta> },
  operation: PolicyOperation,
  namespace = '',
): Request => ({
  kind: namespace === '' ? 'Node' : 'Service',
  operation,
  namespace,
  name: metadata.name ?? '',
  labels: metadata.labels ?? NO_LABELS,
});
