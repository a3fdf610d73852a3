import type { Cidr } from '../node/cidr.ts';

/** The id of a route table, `vtb-…`. */
export type RouteTableId = string;

/** A custom entry of a route table. */
export interface RouteEntry {
  readonly tableId: RouteTableId;
  /** The id of the entry, `rte-…`. */
  readonly id: string;
  /** The destination in the cloud's notation. */
  readonly destination: string;
  /** The instance, if it is the only next hop. Undefined for other next hops, and for several. */
  readonly instanceId?: string;
  /** The status. Packets follow the entry if it is `Available`; `Pending`, `Modifying` and `Deleting` are temporary. */
  readonly status: string;
  readonly description: string;
}

/** A route that the pods of a Node need in every table. */
export interface DesiredRoute {
  readonly node: string;
  readonly cidr: Cidr;
  readonly instanceId: string;
}

/** A route in one route table. */
export interface TableRoute {
  readonly tableId: RouteTableId;
  readonly destination: string;
  readonly instanceId: string;
}

export const AVAILABLE = 'Available';
