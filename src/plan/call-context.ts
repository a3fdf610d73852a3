/** The priority of a cloud call when the API rate limit is reached. Removals of backends come first, audits last. */
export type CallLane = 'remove-backends' | 'add-backends' | 'delete' | 'change' | 'create' | 'audit';

/** The context of a call to the cloud. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly lane: CallLane;
  /** The namespace whose share of the rate limit the call uses; empty for Nodes, routes and the inventory. */
  readonly namespace: string;
}
