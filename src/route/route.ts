import type { Cidr } from '../node/cidr.ts';

/** `vtb-…` */
export type RouteTableId = string;

/** A custom entry of a route table. */
export interface RouteEntry {
  readonly tableId: RouteTableId;
  /** `rte-…` */
  readonly id: string;
  /** As the cloud writes it. */
  readonly destination: string;
  /** The only next hop, if that is an instance; absent for all other kinds and for several. */
  readonly instanceId?: string;
  /** `Available` packets follow it; `Pending`, `Modifying` and `Deleting` are on their way. */
  readonly status: string;
  readonly description: string;
}

/** A route that a Node's pods need, in every table. */
export interface DesiredRoute {
  readonly node: string;
  readonly cidr: Cidr;
  readonly instanceId: string;
}

/** One route in one table. */
export interface TableRoute {
  readonly tableId: RouteTableId;
  readonly destination: string;
  readonly instanceId: string;
}

export const AVAILABLE = 'Available';
