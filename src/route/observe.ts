import type { Clock } from '../base/clock.ts';
import { isDenied, PortcullisError } from '../base/errors.ts';
import { covers, parseCidr, type Cidr } from '../node/cidr.ts';
import type { Tables } from './diff.ts';
import type { RouteApi } from './port.ts';
import type { RouteEntry, RouteTableId } from './route.ts';
import { AVAILABLE } from './route.ts';

export interface RouteTablesParts {
  readonly api: RouteApi;
  readonly vpcId: string;
  /** Named by the cloud-config; the only table of the VPC when empty. */
  readonly tableIds: readonly RouteTableId[];
  /** Of the pods: what moves elsewhere is not waited for. */
  readonly clusterCidrs: readonly Cidr[];
  readonly auditMs: number;
  readonly clock: Clock;
}

/** A table as it was last read, or why it could not be. */
interface Known {
  readonly entries: readonly RouteEntry[];
  readonly readAtMs: number;
  /** Something was written since, or was on its way. */
  isStale: boolean;
}

export interface TablesRead {
  readonly tables: Tables;
  /** The tables that could not be read, with why; nothing is decided about them. */
  readonly failed: ReadonlyMap<RouteTableId, PortcullisError>;
  /** Whether entries are still on their way. */
  readonly isMoving: boolean;
  /** Why it is not known whether the tables are of the VPC, where it is not. */
  readonly unverified?: PortcullisError;
}

/** What is known of the tables that were named: which of them the VPC does not have, or why it cannot be asked. */
interface Verified {
  readonly strangers: ReadonlyMap<RouteTableId, PortcullisError>;
  readonly unverified?: PortcullisError;
}

/** The route tables as one process knows them. What it has not changed itself is read again now and then only. */
export class RouteTables {
  readonly #parts: RouteTablesParts;
  readonly #known = new Map<RouteTableId, Known>();
  #ids: readonly RouteTableId[] = [];
  #verified: Verified | undefined;

  constructor(parts: RouteTablesParts) {
    this.#parts = parts;
    this.#ids = [...new Set(parts.tableIds)];
  }

  /** All tables, each read whole or not at all. Rejects when it is not known which they are. */
  async read(signal: AbortSignal): Promise<TablesRead> {
    if (this.#ids.length === 0) this.#ids = [await this.#only(signal)];
    // One that was found by itself is in the VPC.
    this.#verified ??= this.#parts.tableIds.length === 0 ? { strangers: new Map() } : await this.#verify(signal);
    const { strangers, unverified } = this.#verified;
    const failed = new Map(strangers);
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

  /** All tables as they were last read, whatever was changed since; absent as long as one was not. */
  lastRead(): Tables | undefined {
    const tables = new Map(this.#ids.map((id) => [id, this.#known.get(id)?.entries] as const));
    return tables.size > 0 && [...tables.values()].every((entries) => entries !== undefined)
      ? (tables as Tables)
      : undefined;
  }

  /** How many entries each table had when it was last read. */
  sizes(): Iterable<readonly [RouteTableId, number]> {
    return [...this.#known].map(([id, { entries }]) => [id, entries.length] as const);
  }

  /** Says that a table was changed, or may have been. */
  changed(id: RouteTableId): void {
    const known = this.#known.get(id);
    if (known !== undefined) known.isStale = true;
  }

  /** Says that all tables are to be read again. */
  doubt(): void {
    this.#verified = undefined;
    for (const id of this.#ids) this.changed(id);
  }

  #moves({ destination, status }: RouteEntry): boolean {
    if (status === AVAILABLE) return false;
    const cidr = parseCidr(destination);
    return cidr !== undefined && this.#parts.clusterCidrs.some((range) => covers(range, cidr));
  }

  /** Whoever names tables may do without the permission to list them. */
  async #verify(signal: AbortSignal): Promise<Verified> {
    const { api, vpcId } = this.#parts;
    try {
      const known = new Set(
        (await api.listTables(vpcId, { signal, lane: 'change', namespace: '' })).map(({ id }) => id),
      );
      return {
        strangers: new Map(this.#ids.filter((id) => !known.has(id)).map((id) => [id, stranger(id, vpcId, known)])),
      };
    } catch (error) {
      if (!isDenied(error)) throw error;
      return { strangers: new Map(), unverified: error };
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

  /** The one table of the VPC. Which of several is meant nobody can know. */
  async #only(signal: AbortSignal): Promise<RouteTableId> {
    const { api, vpcId } = this.#parts;
    const tables = await api.listTables(vpcId, { signal, lane: 'change', namespace: '' });
    const [only, ...others] = tables;
    if (only !== undefined && others.length === 0) return only.id;
    const found = tables.map(({ id, type }) => `${id} (${type})`).join(', ');
    throw new PortcullisError(
      'InvalidConfiguration',
      tables.length === 0
        ? `no route table was found in VPC ${vpcId}: check Global.vpcid of the cloud-config and the permission vpc:DescribeRouteTableList`
        : `VPC ${vpcId} has ${tables.length} route tables, ${found}: name those to use in Global.routeTableIDs of the cloud-config`,
    );
  }
}

const stranger = (id: RouteTableId, vpcId: string, known: ReadonlySet<RouteTableId>): PortcullisError =>
  new PortcullisError(
    'Rejected',
    `VPC ${vpcId} has no such table, only ${[...known].join(', ') || 'none'}: correct Global.routeTableIDs of the cloud-config`,
    { code: id },
  );
