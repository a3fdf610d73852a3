import type { Transition } from '../transition.ts';

/*
 * The VPC resources that the tables of `SimulatedRegion` contain. Seeds and writing operations create the rows, and reading operations show them.
 */

export interface VpcRow {
  readonly id: string;
  readonly name: string;
  readonly cidrBlock: string;
  readonly secondaryCidrBlocks: readonly string[];
  readonly ipv6CidrBlock: string | undefined;
  readonly routerId: string;
  readonly resourceGroupId: string;
  readonly status: 'Pending' | 'Available';
  readonly createdAt: number;
}

export interface VSwitchRow {
  readonly id: string;
  readonly name: string;
  readonly vpcId: string;
  readonly zoneId: string;
  readonly cidrBlock: string;
  routeTableId: string;
  readonly resourceGroupId: string;
  readonly status: 'Pending' | 'Available';
  /** The number of usable addresses. If undefined, the size of the range determines the number. */
  readonly capacity: number | undefined;
  readonly createdAt: number;
}

/** The state of a route entry. An entry in the state `gone` is deleted at the next read. */
export type RouteStatus = 'Pending' | 'Available' | 'Modifying' | 'Deleting' | 'gone';

export interface RouteEntryRow {
  readonly id: string;
  readonly destination: string;
  readonly nextHopType: string;
  nextHopId: string;
  readonly type: 'Custom' | 'System';
  name: string | undefined;
  description: string | undefined;
  readonly status: Transition<RouteStatus>;
}

export interface RouteTableRow {
  readonly id: string;
  readonly name: string;
  readonly vpcId: string;
  readonly routerId: string;
  readonly type: 'System' | 'Custom';
  readonly description: string | undefined;
  readonly resourceGroupId: string;
  readonly status: Transition<'Pending' | 'Available'>;
  /** The entries by id. */
  readonly entries: Map<string, RouteEntryRow>;
  readonly createdAt: number;
}

export interface EipRow {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly bandwidth: string;
  readonly internetChargeType: string;
  readonly resourceGroupId: string;
  readonly status: Transition<'Available' | 'Associating' | 'InUse' | 'Unassociating'>;
  instanceId: string;
  instanceType: string;
  readonly createdAt: number;
}
