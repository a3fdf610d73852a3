import type { Mode } from './resource.ts';

export type { Mode } from './resource.ts';

/** What the platform team has decided about the rules. */
export interface Policy {
  /** The mode of a tunable rule for an object of this namespace. */
  mode(rule: string, namespace: string): Mode;
}

/** Every rule refuses. */
export const ENFORCE_ALL: Policy = { mode: () => 'enforce' };

/** Every tunable rule warns: for getting to know what would be refused. */
export const WARN_ALL: Policy = { mode: () => 'warn' };
