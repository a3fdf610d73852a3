import type { Clock } from '../clock.ts';
import { PortcullisError } from '../errors.ts';
import type { Tables } from '../route/diff.ts';
import type { RouteApi } from '../route/port.ts';
import type { RouteEntry, RouteTableId } from '../route/route.ts';
import { AVAILABLE } from '../route/route.ts';

export interface RouteTablesParts {
  readonly api: RouteApi;
  readonly vpcId: string;
  /** Named by the cloud-config; the only table of the VPC when empty. */
  readonly tableIds: readonly RouteTableId[];
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
}

/** The route tables as one process knows them. What it has not changed itself is read again now and then only. */
export class RouteTables {
  readonly #parts: RouteTablesParts;
  readonly #known = new Map<RouteTableId, Known>();
  #ids: readonly RouteTableId[] = [];

  constructor(parts: RouteTablesParts) {
    this.#parts = parts;
    this.#ids = parts.tableIds;
  }

  /** All tables, each read whole or not at all. Rejects when it is not known which they are. */
  async read(signal: AbortSignal): Promise<TablesRead> {
    if (this.#ids.length === 0) this.#ids = [await this.#only(signal)];
    const failed = new Map<RouteTableId, PortcullisError>();
    for (const id of this.#ids) {
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
    const isMoving = [...tables.values()].some((entries) => entries.some(({ status }) => status !== AVAILABLE));
    return { tables, failed, isMoving };
  }

  /** Says that a table was changed, or may have been. */
  changed(id: RouteTableId): void {
    const known = this.#known.get(id);
    if (known !== undefined) known.isStale = true;
  }

  async #refresh(id: RouteTableId, signal: AbortSignal): Promise<void> {
    const { api, clock, auditMs } = this.#parts;
    const known = this.#known.get(id);
    if (known !== undefined && !known.isStale && clock.monotonic() - known.readAtMs < auditMs) return;
    const entries = await api.listEntries(id, { signal, lane: known === undefined ? 'change' : 'audit' });
    const isStale = entries.some(({ status }) => status !== AVAILABLE);
    this.#known.set(id, { entries, readAtMs: clock.monotonic(), isStale });
  }

  /** The one table of the VPC. Which of several is meant nobody can know. */
  async #only(signal: AbortSignal): Promise<RouteTableId> {
    const { api, vpcId } = this.#parts;
    const tables = await api.listTables(vpcId, { signal, lane: 'change' });
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
