import type { Tables } from './diff.ts';
import type { RouteTableId } from './route.ts';

/** The evidence that route tables belong to this cluster. */
export interface TableEvidence {
  /** The instances that the Nodes of the cluster name. */
  readonly instances: ReadonlySet<string>;
  /** True if the tables are known to be in the configured VPC. */
  readonly tablesVerified: boolean;
  /** True if the configured VPC contains an instance of a Node. */
  readonly vpcProvenOurs: boolean;
}

/**
 * Returns the tables that are proven to belong to this cluster. In all other tables, a guard permits only creations. A route to an instance of a Node
 * proves the table of the route. If `tablesVerified` is true, such a route or `vpcProvenOurs` proves all tables.
 */
export function provenTables(
  tables: Tables,
  { instances, tablesVerified, vpcProvenOurs }: TableEvidence,
): ReadonlySet<RouteTableId> {
  // A pod range proves nothing, because several clusters may use equal ranges.
  const tablesToNodes = [...tables]
    .filter(([, entries]) => entries.some(({ instanceId }) => instanceId !== undefined && instances.has(instanceId)))
    .map(([id]) => id);
  return new Set(tablesVerified && (vpcProvenOurs || tablesToNodes.length > 0) ? tables.keys() : tablesToNodes);
}
