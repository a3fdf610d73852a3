import type { Clock } from '../base/clock.ts';
import { isDenied, PortcullisError } from '../base/errors.ts';
import { covers, parseCidr, type Cidr } from '../node/cidr.ts';
import type { Tables } from './diff.ts';
import type { RouteApi } from './route-api.ts';
import type { RouteEntry, RouteTableId } from './route.ts';
import { AVAILABLE } from './route.ts';

/** The dependencies and settings of `RouteTables`. */
export interface RouteTablesParts {
  readonly api: RouteApi;
  readonly vpcId: string;
  /** The tables that the cloud-config file names; if empty, the only table of the VPC. */
  readonly tableIds: readonly RouteTableId[];
  /** The pod ranges of the cluster. `isMoving` ignores entries outside these ranges. */
  readonly clusterCidrs: readonly Cidr[];
  /** The time after which a table is read again without a change, in milliseconds. */
  readonly auditMs: number;
  readonly clock: Clock;
}

/** A route table as last read. */
interface Known {
  readonly entries: readonly RouteEntry[];
  readonly readAtMs: number;
  /** True if the next read of the tables must read this table again: this process changed the table, or an entry was still changing. */
  isStale: boolean;
}

/** The result of reading all route tables. */
export interface TablesRead {
  readonly tables: Tables;
  /** The tables that could not be read, with the error. The plan leaves these tables unchanged. */
  readonly failed: ReadonlyMap<RouteTableId, PortcullisError>;
  /** True if an entry inside the cluster's ranges is still changing. */
  readonly isMoving: boolean;
  /** The error that prevents the check that the tables belong to the VPC. */
  readonly unverified?: PortcullisError;
}

/** The result of the check that the configured tables belong to the VPC: the tables of other VPCs, or the error of the check. */
interface Verified {
  readonly outsideVpc: ReadonlyMap<RouteTableId, PortcullisError>;
  readonly unverified?: PortcullisError;
}

/** A cache of the route tables. Reads a table again if the table is stale, or after the audit interval. */
export class RouteTables {
  readonly #parts: RouteTablesParts;
  readonly #known = new Map<RouteTableId, Known>();
  #ids: readonly RouteTableId[] = [];
  #verified: Verified | undefined;

  constructor(parts: RouteTablesParts) {
    this.#parts = parts;
    this.#ids = [...new Set(parts.tableIds)];
  }

  /** Reads outdated tables and returns all tables. Rejects if the ids of the tables are unknown, or if `#verify` rejects. */
  async read(signal: AbortSignal): Promise<TablesRead> {
    if (this.#ids.length === 0) this.#ids = [await this.#only(signal)];
    // An id that the cloud-config file does not name comes from a list of the VPC's tables, so no check is needed.
    this.#verified ??= this.#parts.tableIds.length === 0 ? { outsideVpc: new Map() } : await this.#verify(signal);
    const { outsideVpc, unverified } = this.#verified;
    const failed = new Map(outsideVpc);
    for (const id of this.#ids) {
      if (failed.has(id)) continue;
      try {
        await this.#refresh(id, signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof PortcullisError)) throw error;
        failed.set(id, error);
      }
    }
    const tables = new Map(
      this.#ids.flatMap((id) => (failed.has(id) ? [] : [[id, this.#known.get(id)?.entries ?? []] as const])),
    );
    const isMoving = [...tables.values()].some((entries) => entries.some((entry) => this.#moves(entry)));
    return { tables, failed, isMoving, ...(unverified === undefined ? {} : { unverified }) };
  }

  /** Returns all tables as last read, even if changed meanwhile. Undefined until every table has been read. */
  lastRead(): Tables | undefined {
    const tables = new Map(this.#ids.map((id) => [id, this.#known.get(id)?.entries] as const));
    return tables.size > 0 && [...tables.values()].every((entries) => entries !== undefined)
      ? (tables as Tables)
      : undefined;
  }

  /** Returns the number of entries of each table at the last read, for metrics. */
  sizes(): Iterable<readonly [RouteTableId, number]> {
    return [...this.#known].map(([id, { entries }]) => [id, entries.length] as const);
  }

  /** Records that a table was or may have been changed, so that the next `read` does not skip the table. */
  changed(id: RouteTableId): void {
    const known = this.#known.get(id);
    if (known !== undefined) known.isStale = true;
  }

  /** Invalidates all tables and the check of the VPC, so that the next `read` reads and checks every table. */
  invalidate(): void {
    this.#verified = undefined;
    for (const id of this.#ids) this.changed(id);
  }

  #moves({ destination, status }: RouteEntry): boolean {
    if (status === AVAILABLE) return false;
    const cidr = parseCidr(destination);
    return cidr !== undefined && this.#parts.clusterCidrs.some((range) => covers(range, cidr));
  }

  /** Checks that the configured tables belong to the VPC. Without the optional permission to list tables, the check is skipped. */
  async #verify(signal: AbortSignal): Promise<Verified> {
    const { api, vpcId } = this.#parts;
    try {
      const known = new Set(
        (await api.listTables(vpcId, { signal, lane: 'change', namespace: '' })).map(({ id }) => id),
      );
      return {
        outsideVpc: new Map(
          this.#ids.filter((id) => !known.has(id)).map((id) => [id, outsideVpcError(id, vpcId, known)]),
        ),
      };
    } catch (error) {
      if (!isDenied(error)) throw error;
      return { outsideVpc: new Map(), unverified: error };
    }
  }

  async #refresh(id: RouteTableId, signal: AbortSignal): Promise<void> {
    const { api, clock, auditMs } = this.#parts;
    const known = this.#known.get(id);
    if (known !== undefined && !known.isStale && clock.monotonic() - known.readAtMs < auditMs) return;
    const entries = await api.listEntries(id, {
      signal,
      lane: known === undefined ? 'change' : 'audit',
      namespace: '',
    });
    const isStale = entries.some((entry) => this.#moves(entry));
    this.#known.set(id, { entries, readAtMs: clock.monotonic(), isStale });
  }

  /** Returns the only table of the VPC. Rejects if the VPC has several tables or none. */
  async #only(signal: AbortSignal): Promise<RouteTableId> {
    const { api, vpcId } = this.#parts;
    const tables = await api.listTables(vpcId, { signal, lane: 'change', namespace: '' });
    const [only, ...others] = tables;
    if (only !== undefined && others.length === 0) return only.id;
    const found = tables.map(({ id, type }) => `${id} (${type})`).join(', ');
    throw new PortcullisError(
      'InvalidConfiguration',
      tables.length === 0
        ? `VPC ${vpcId} has no route table; check Global.vpcid in the cloud-config file, and the permission vpc:DescribeRouteTableList`
        : `VPC ${vpcId} has ${tables.length} route tables, ${found}; set Global.routeTableIDs in the cloud-config file to the tables to use`,
    );
  }
}

const outsideVpcError = (id: RouteTableId, vpcId: string, known: ReadonlySet<RouteTableId>): PortcullisError =>
  new PortcullisError(
    'Rejected',
    `VPC ${vpcId} has no such route table (its tables: ${[...known].join(', ') || 'none'}); correct Global.routeTableIDs in the cloud-config file`,
    { code: id },
  );
