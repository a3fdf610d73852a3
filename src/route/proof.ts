import type { Tables } from './diff.ts';
import type { RouteTableId } from './route.ts';

/** The evidence that tables belong to this cluster. */
export interface TableEvidence {
  /** The instances that the cluster's Nodes name. */
  readonly instances: ReadonlySet<string>;
  /** True if the tables are known to be in the configured VPC. */
  readonly isOfVpc: boolean;
  /** True if that VPC contains an instance of a Node. */
  readonly isOwnVpc: boolean;
}

/**
 * Returns the tables that certainly belong to this cluster. A table with a route to a Node's instance is in the cluster's VPC, and so are all tables
 * of that VPC. A pod range proves nothing, because clusters share the same ranges.
 */
export function provenTables(
  tables: Tables,
  { instances, isOfVpc, isOwnVpc }: TableEvidence,
): ReadonlySet<RouteTableId> {
  const leading = [...tables]
    .filter(([, entries]) => entries.some(({ instanceId }) => instanceId !== undefined && instances.has(instanceId)))
    .map(([id]) => id);
  return new Set(isOfVpc && (isOwnVpc || leading.length > 0) ? tables.keys() : leading);
}
