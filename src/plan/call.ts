/** The priority of a call when the quota is scarce: removals of dead backends first, audits last. */
export type CallLane = 'remove-backends' | 'add-backends' | 'delete' | 'change' | 'create' | 'audit';

/** The context of a call to the cloud. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly lane: CallLane;
  /** The namespace that the call counts against; empty for Nodes, routes and the inventory. */
  readonly namespace: string;
}
