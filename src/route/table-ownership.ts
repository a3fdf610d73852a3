import type { Tables } from './diff.ts';
import type { RouteTableId } from './route.ts';

/** The evidence that route tables belong to this cluster. */
export interface TableEvidence {
  /** The instances that the Nodes of the cluster name. */
  readonly instances: ReadonlySet<string>;
  /** True if the tables are known to be in the configured VPC. */
  readonly isOfVpc: boolean;
  /** True if the configured VPC contains an instance of a Node. */
  readonly isOwnVpc: boolean;
}

/**
 * Returns the tables that are proven to belong to this cluster. A route to a Node's instance proves that the VPC, with all its tables, belongs to the
 * cluster. A pod range proves nothing, because clusters use equal ranges.
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
