import type { Cidr } from '../node/cidr.ts';

/** `vtb-…` */
export type RouteTableId = string;

/** A custom entry of a route table. */
export interface RouteEntry {
  readonly tableId: RouteTableId;
  /** `rte-…` */
  readonly id: string;
  /** The destination in the cloud's notation. */
  readonly destination: string;
  /** The only next hop, if it is an instance. Undefined for other kinds, and for several next hops. */
  readonly instanceId?: string;
  /** `Available` if packets follow the entry. `Pending`, `Modifying` and `Deleting` are temporary. */
  readonly status: string;
  readonly description: string;
}

/** A route that the pods of a Node need in every table. */
export interface DesiredRoute {
  readonly node: string;
  readonly cidr: Cidr;
  readonly instanceId: string;
}

/** A route in a single table. */
export interface TableRoute {
  readonly tableId: RouteTableId;
  readonly destination: string;
  readonly instanceId: string;
}

export const AVAILABLE = 'Available';
