import type { CallContext } from '../plan/call.ts';
import type { RouteEntry, RouteTableId, TableRoute } from './route.ts';

/** The most routes that one call may make or delete, by the API's reference. */
export const ROUTES_PER_CALL = 50;

/** A route that was to be made or deleted and was not, in a table that the cloud does not tell; `code` is the cloud's own. */
export interface FailedRoute {
  readonly destination: string;
  readonly code: string;
  readonly message: string;
}

export interface RouteTable {
  readonly id: RouteTableId;
  readonly vpcId: string;
  /** `System` or `Custom`. */
  readonly type: string;
}

/**
 * What the route slice asks of a cloud. Every method rejects with a `PortcullisError` and nothing else, or with the signal's reason
 * once it is aborted. Changes take effect a moment after the answer; meanwhile any other change in the VPC is refused as `Busy`.
 */
export interface RouteApi {
  /** The tables of a VPC that may have entries of ours, all pages. */
  listTables(vpcId: string, context: CallContext): Promise<readonly RouteTable[]>;
  /** All custom entries of a table, all pages. */
  listEntries(tableId: RouteTableId, context: CallContext): Promise<readonly RouteEntry[]>;
  /** Makes at most `ROUTES_PER_CALL` routes, of any tables of one VPC. Answers those that were not made. */
  createEntries(
    routes: readonly (TableRoute & { readonly description: string })[],
    context: CallContext,
  ): Promise<readonly FailedRoute[]>;
  /** Deletes at most `ROUTES_PER_CALL` routes, of any tables of one VPC. Answers those that were not deleted. */
  deleteEntries(routes: readonly TableRoute[], context: CallContext): Promise<readonly FailedRoute[]>;
  /** Changes where an entry leads, or what is said of it; what is absent stays. */
  modifyEntry(
    id: string,
    change: { readonly instanceId?: string; readonly description?: string },
    context: CallContext,
  ): Promise<void>;
}
