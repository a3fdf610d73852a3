import type { CallContext } from '../plan/call-context.ts';
import type { RouteEntry, RouteTableId, TableRoute } from './route.ts';

/** The maximum number of routes of one call, by the API reference. */
export const ROUTES_PER_CALL = 50;

/** A route that a call did not create or delete, with the cloud's error code but without the table, which the cloud does not name. */
export interface FailedRoute {
  readonly destination: string;
  readonly code: string;
  readonly message: string;
}

/** A route table of a VPC. */
export interface RouteTable {
  readonly id: RouteTableId;
  readonly vpcId: string;
  /** `System` or `Custom`. */
  readonly type: string;
}

/** The cloud API of the route controller. Rejects only with a `PortcullisError`, or with the reason of an aborted signal. */
export interface RouteApi {
  /** Returns the route tables of a VPC, from all pages. */
  listTables(vpcId: string, context: CallContext): Promise<readonly RouteTable[]>;
  /** Returns all custom entries of a table, from all pages. */
  listEntries(tableId: RouteTableId, context: CallContext): Promise<readonly RouteEntry[]>;
  /** Creates at most `ROUTES_PER_CALL` routes in tables of one VPC. Returns the routes that were not created. */
  createEntries(
    routes: readonly (TableRoute & { readonly description: string })[],
    context: CallContext,
  ): Promise<readonly FailedRoute[]>;
  /** Deletes at most `ROUTES_PER_CALL` routes in tables of one VPC. Returns the routes that were not deleted. */
  deleteEntries(routes: readonly TableRoute[], context: CallContext): Promise<readonly FailedRoute[]>;
  /** Changes the instance or the description of an entry. Undefined properties stay unchanged. */
  modifyEntry(
    id: string,
    change: { readonly instanceId?: string; readonly description?: string },
    context: CallContext,
  ): Promise<void>;
}
