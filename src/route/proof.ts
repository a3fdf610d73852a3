import type { Tables } from './diff.ts';
import type { RouteTableId } from './route.ts';

/** What speaks for tables being this cluster's. */
export interface Evidence {
  /** The instances that the cluster's Nodes name. */
  readonly instances: ReadonlySet<string>;
  /** Whether the tables are known to be of the VPC that was named. */
  readonly isOfVpc: boolean;
  /** Whether an instance of a Node was found in that VPC. */
  readonly isOwnVpc: boolean;
}

/**
 * The tables that are this cluster's for certain. A route leads to instances of its own VPC only: a table that leads to one of a Node is
 * of the cluster's VPC, and so are all others of that VPC. A range of pods proves nothing, every second cluster has the same.
 */
export function provenTables(tables: Tables, { instances, isOfVpc, isOwnVpc }: Evidence): ReadonlySet<RouteTableId> {
  const leading = [...tables]
    .filter(([, entries]) => entries.some(({ instanceId }) => instanceId !== undefined && instances.has(instanceId)))
    .map(([id]) => id);
  return new Set(isOfVpc && (isOwnVpc || leading.length > 0) ? tables.keys() : leading);
}
