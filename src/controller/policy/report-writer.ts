import type { Clock } from '../../base/clock.ts';
import { hasReason, PortcullisError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { objectKey, type ObjectKey, type Resource } from '../../base/kubernetes-objects.ts';
import {
  digestOfReport,
  REPORT_LABELS,
  REPORT_NAME,
  reportOf,
  type KnownReport,
  type NamespaceFindings,
  type ReportContent,
} from '../../policy/report.ts';
import type { KubernetesWriter, ReportStore } from '../kubernetes-interface.ts';
import { ReportFailures } from './report-failures.ts';

export interface ReportsParts {
  /** The kinds of policy reports, the preferred kind first. */
  readonly reportStores: readonly ReportStore[];
  readonly writer: Pick<KubernetesWriter, 'create' | 'mergePatch' | 'delete'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The source of the findings to report. */
export interface ReportSource {
  of(namespace: string): NamespaceFindings;
  readonly namespaces: Iterable<string>;
}

/** The digests of the sent and of the stored report. The digests differ if an older CRD of the cluster drops fields. */
interface Written {
  readonly wanted: string;
  readonly stored: string;
}

/** The time between two writes, in milliseconds. Reports are not urgent, and more important writes share the API server. */
const WRITE_INTERVAL_MS = 100;
/** The maximum number of reports that one pass writes. */
const AT_A_TIME = 50;
/** The maximum number of deletions per pass for each other kind, so that failed deletions do not delay the chosen kind. */
const CLEARED_AT_A_TIME = 25;

const keyIn = (namespace: string): ObjectKey => objectKey(REPORT_NAME, namespace);

/** The writer of policy reports. Uses the first kind that the cluster serves, and deletes the reports of other kinds. */
export class PolicyReports {
  readonly #parts: ReportsParts;
  readonly #dirty = new Set<string>();
  readonly #written = new Map<string, Written>();
  readonly #failures = new Map<ReportStore, ReportFailures>();
  #store: ReportStore | undefined;

  constructor(parts: ReportsParts) {
    this.#parts = parts;
    for (const store of parts.reportStores) {
      store.reports.onChange(({ before, after }) => {
        const namespace = (after ?? before)?.metadata.namespace;
        if (store === this.#store && namespace !== undefined) this.#seen(namespace, after);
      });
    }
  }

  /** True if the cluster serves a kind of reports. */
  get isWanted(): boolean {
    return this.#choice() !== undefined;
  }

  /** True if a report is due. All reports are due after a change of the chosen kind. */
  get isDirty(): boolean {
    const store = this.#choice();
    return store !== undefined && (store !== this.#store || this.#failuresOf(store).due(this.#dirty).length > 0);
  }

  /** Marks namespaces whose findings changed. */
  changed(namespaces: Iterable<string>): void {
    for (const namespace of namespaces) this.#dirty.add(namespace);
  }

  /** Writes some of the due reports. Logs and retries failures. Rejects only with the reason of the aborted signal. */
  async write(source: ReportSource, signal: AbortSignal): Promise<void> {
    const store = this.#choice();
    if (store === undefined) return;
    if (store !== this.#store) this.#switchTo(store, source);
    await this.#clearOthers(store, signal);
    for (const namespace of this.#failuresOf(store).due(this.#dirty).slice(0, AT_A_TIME)) {
      const work = (): Promise<void> => this.#writeReport(store, source, namespace, signal);
      if (await this.#attempt(store, namespace, work, signal)) this.#dirty.delete(namespace);
    }
  }

  #failuresOf(store: ReportStore): ReportFailures {
    const failures = this.#failures.get(store) ?? new ReportFailures(this.#parts, store.resource.kind);
    this.#failures.set(store, failures);
    return failures;
  }

  /** Returns the first kind that the cluster serves. Undefined while the state of a preferred kind is unknown. */
  #choice(): ReportStore | undefined {
    const first = this.#parts.reportStores.find((store) => ['unknown', 'served'].includes(store.state()));
    return first?.state() === 'served' ? first : undefined;
  }

  #switchTo(store: ReportStore, source: ReportSource): void {
    this.#parts.log.info({ kind: store.resource.kind, group: store.resource.group }, 'reporting findings');
    this.#store = store;
    this.#written.clear();
    this.changed(source.namespaces);
    this.changed(namespacesOf(store));
  }

  /** Marks the report of a namespace as due after a change by another client. */
  #seen(namespace: string, report: KnownReport | undefined): void {
    if (report !== undefined && report.digest === this.#written.get(namespace)?.stored) return;
    this.#written.delete(namespace);
    this.#dirty.add(namespace);
  }

  /** Deletes the reports of all kinds except the chosen kind. */
  async #clearOthers(chosen: ReportStore, signal: AbortSignal): Promise<void> {
    for (const store of this.#parts.reportStores) {
      if (store === chosen || store.state() !== 'served') continue;
      for (const namespace of this.#failuresOf(store).due(namespacesOf(store)).slice(0, CLEARED_AT_A_TIME)) {
        await this.#attempt(store, namespace, () => this.#delete(store, namespace, signal), signal);
      }
    }
  }

  /** Writes or deletes the report of a namespace. */
  async #writeReport(store: ReportStore, source: ReportSource, namespace: string, signal: AbortSignal): Promise<void> {
    const content = reportOf(source.of(namespace), store.resource);
    if (content === undefined) {
      this.#written.delete(namespace);
      await this.#delete(store, namespace, signal);
      return;
    }
    const before = store.reports.get(keyIn(namespace));
    const wanted = digestOfReport(content);
    if (wanted === (this.#written.get(namespace)?.wanted ?? before?.digest)) return;
    const stored = await this.#put(store.resource, namespace, content, before !== undefined, signal);
    this.#written.set(namespace, { wanted, stored: digestOfReport(stored) });
    await this.#parts.clock.sleep(WRITE_INTERVAL_MS, signal);
  }

  #put(
    resource: ReportStore['resource'],
    namespace: string,
    content: ReportContent,
    isThere: boolean,
    signal: AbortSignal,
  ): Promise<KnownReport & ReportContent> {
    const { writer } = this.#parts;
    const stored = resource as Resource<KnownReport & ReportContent>;
    if (isThere) {
      const patch = { metadata: { labels: REPORT_LABELS }, ...content };
      return writer.mergePatch(stored, keyIn(namespace), patch, {}, signal);
    }
    const { group, version, kind } = resource;
    const metadata = { name: REPORT_NAME, namespace, labels: REPORT_LABELS };
    return writer.create(stored, { apiVersion: `${group}/${version}`, kind, metadata, ...content }, signal);
  }

  async #delete({ resource, reports }: ReportStore, namespace: string, signal: AbortSignal): Promise<void> {
    const there = reports.get(keyIn(namespace));
    if (there === undefined) return;
    await this.#parts.writer.delete(resource, keyIn(namespace), { uid: there.metadata.uid }, signal);
    await this.#parts.clock.sleep(WRITE_INTERVAL_MS, signal);
  }

  /** Runs a write and returns whether the write is finished. False if the write is paused, or failed and needs a retry. */
  async #attempt(
    store: ReportStore,
    namespace: string,
    work: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const failures = this.#failuresOf(store);
    if (failures.isPaused) return false;
    try {
      await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!isOver(error)) {
        failures.failed(namespace, error);
        return false;
      }
    }
    failures.settled(namespace);
    return true;
  }
}

/** Returns the namespaces that have a report of the controller. */
const namespacesOf = ({ reports }: ReportStore): readonly string[] =>
  [...reports.values()]
    .filter(({ metadata }) => metadata.name === REPORT_NAME)
    .map(({ metadata }) => metadata.namespace ?? '');

/** Returns whether an error ends the work: the namespace, report or kind is gone, or another client owns the name of the report. */
const isOver = (error: unknown): boolean =>
  hasReason(error, 'NotFound') ||
  hasReason(error, 'Conflict') ||
  (error instanceof PortcullisError && error.code === 'NamespaceTerminating');
