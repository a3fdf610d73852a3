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

/** Returns the tables that are proven to belong to this cluster. A route that leads to the instance of a Node proves its table. */
export function provenTables(
  tables: Tables,
  { instances, tablesVerified, vpcProvenOurs }: TableEvidence,
): ReadonlySet<RouteTableId> {
  // A pod range proves nothing, because several clusters can use equal ranges.
  const tablesToNodes = [...tables]
    .filter(([, entries]) => entries.some(({ instanceId }) => instanceId !== undefined && instances.has(instanceId)))
    .map(([id]) => id);
  // In a verified VPC, the proof of the VPC or of one table proves all tables.
  return new Set(tablesVerified && (vpcProvenOurs || tablesToNodes.length > 0) ? tables.keys() : tablesToNodes);
}
