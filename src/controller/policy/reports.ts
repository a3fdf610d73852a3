import type { Clock } from '../../base/clock.ts';
import { hasReason, PortcullisError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { objectKey, type ObjectKey, type Resource } from '../../base/objects.ts';
import {
  digestOfReport,
  REPORT_LABELS,
  REPORT_NAME,
  reportOf,
  type KnownReport,
  type NamespaceFindings,
  type ReportContent,
} from '../../policy/report.ts';
import type { KubernetesWriter, ReportStore } from '../port.ts';
import { ReportFailures } from './report-failures.ts';

export interface ReportsParts {
  /** The preferred one first. */
  readonly shelves: readonly ReportStore[];
  readonly writer: Pick<KubernetesWriter, 'create' | 'mergePatch' | 'delete'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Where reports are made of. */
export interface ReportSource {
  of(namespace: string): NamespaceFindings;
  readonly namespaces: Iterable<string>;
}

/** What was written, and what the API server has made of it: that may be less, where its definition of the kind is an older one. */
interface Written {
  readonly wanted: string;
  readonly stored: string;
}

/** Milliseconds from one write to the next: nobody waits for a report, and others write as well. */
const PACE_MS = 100;
/** Reports that are written before others get a turn. */
const AT_A_TIME = 50;
/** Reports in another kind that are taken away meanwhile, whatever keeps them from going: those of the chosen kind never wait for them. */
const CLEARED_AT_A_TIME = 25;

const keyIn = (namespace: string): ObjectKey => objectKey(REPORT_NAME, namespace);

/** Keeps a report in every namespace in which something is found, in the first kind that the cluster serves, and none anywhere else. */
export class PolicyReports {
  readonly #parts: ReportsParts;
  readonly #dirty = new Set<string>();
  readonly #written = new Map<string, Written>();
  readonly #setbacks = new Map<ReportStore, ReportFailures>();
  #shelf: ReportStore | undefined;

  constructor(parts: ReportsParts) {
    this.#parts = parts;
    for (const shelf of parts.shelves) {
      shelf.reports.onChange(({ before, after }) => {
        const namespace = (after ?? before)?.metadata.namespace;
        if (shelf === this.#shelf && namespace !== undefined) this.#seen(namespace, after);
      });
    }
  }

  /** Whether there is a kind to report in. */
  get isWanted(): boolean {
    return this.#choice() !== undefined;
  }

  /** Whether something is left to be written now: all of it, where there is another kind to report in than before. */
  get isDirty(): boolean {
    const shelf = this.#choice();
    return shelf !== undefined && (shelf !== this.#shelf || this.#setbacksOf(shelf).due(this.#dirty).length > 0);
  }

  /** To be told of namespaces in which something else is found than before. */
  changed(namespaces: Iterable<string>): void {
    for (const namespace of namespaces) this.#dirty.add(namespace);
  }

  /** Writes some of what has changed. What fails is said, and tried again; rejects with the signal's reason alone. */
  async write(source: ReportSource, signal: AbortSignal): Promise<void> {
    const shelf = this.#choice();
    if (shelf === undefined) return;
    if (shelf !== this.#shelf) this.#turnTo(shelf, source);
    await this.#clearOthers(shelf, signal);
    for (const namespace of this.#setbacksOf(shelf).due(this.#dirty).slice(0, AT_A_TIME)) {
      const work = (): Promise<void> => this.#tell(shelf, source, namespace, signal);
      if (await this.#attempt(shelf, namespace, work, signal)) this.#dirty.delete(namespace);
    }
  }

  #setbacksOf(shelf: ReportStore): ReportFailures {
    const setbacks = this.#setbacks.get(shelf) ?? new ReportFailures(this.#parts, shelf.resource.kind);
    this.#setbacks.set(shelf, setbacks);
    return setbacks;
  }

  /** The first kind that is served; none as long as a preferred one may turn out to be. */
  #choice(): ReportStore | undefined {
    const first = this.#parts.shelves.find((shelf) => ['unknown', 'served'].includes(shelf.state()));
    return first?.state() === 'served' ? first : undefined;
  }

  #turnTo(shelf: ReportStore, source: ReportSource): void {
    this.#parts.log.info({ kind: shelf.resource.kind, group: shelf.resource.group }, 'findings are reported');
    this.#shelf = shelf;
    this.#written.clear();
    this.changed(source.namespaces);
    this.changed(namespacesOf(shelf));
  }

  /** Somebody has written a report, perhaps ourselves. */
  #seen(namespace: string, report: KnownReport | undefined): void {
    if (report !== undefined && report.digest === this.#written.get(namespace)?.stored) return;
    this.#written.delete(namespace);
    this.#dirty.add(namespace);
  }

  /** Takes away what was reported in a kind that is no longer the chosen one. */
  async #clearOthers(chosen: ReportStore, signal: AbortSignal): Promise<void> {
    for (const shelf of this.#parts.shelves) {
      if (shelf === chosen || shelf.state() !== 'served') continue;
      for (const namespace of this.#setbacksOf(shelf).due(namespacesOf(shelf)).slice(0, CLEARED_AT_A_TIME)) {
        await this.#attempt(shelf, namespace, () => this.#delete(shelf, namespace, signal), signal);
      }
    }
  }

  /** Has the report of a namespace say what is found there. */
  async #tell(shelf: ReportStore, source: ReportSource, namespace: string, signal: AbortSignal): Promise<void> {
    const content = reportOf(source.of(namespace), shelf.resource);
    if (content === undefined) {
      this.#written.delete(namespace);
      await this.#delete(shelf, namespace, signal);
      return;
    }
    const before = shelf.reports.get(keyIn(namespace));
    const wanted = digestOfReport(content);
    if (wanted === (this.#written.get(namespace)?.wanted ?? before?.digest)) return;
    const stored = await this.#put(shelf.resource, namespace, content, before !== undefined, signal);
    this.#written.set(namespace, { wanted, stored: digestOfReport(stored) });
    await this.#parts.clock.sleep(PACE_MS, signal);
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
    await this.#parts.clock.sleep(PACE_MS, signal);
  }

  /** Answers whether nothing is left to be done; not where it has failed for a cause that may pass. */
  async #attempt(
    shelf: ReportStore,
    namespace: string,
    work: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const setbacks = this.#setbacksOf(shelf);
    if (setbacks.isPaused) return false;
    try {
      await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!isOver(error)) {
        setbacks.failed(namespace, error);
        return false;
      }
    }
    setbacks.settled(namespace);
    return true;
  }
}

/** Where there are reports of ours. */
const namespacesOf = ({ reports }: ReportStore): readonly string[] =>
  [...reports.values()]
    .filter(({ metadata }) => metadata.name === REPORT_NAME)
    .map(({ metadata }) => metadata.namespace ?? '');

/** Nothing is left to be done: the namespace, the report or its kind is gone or going, or somebody else's report has the name. */
const isOver = (error: unknown): boolean =>
  hasReason(error, 'NotFound') ||
  hasReason(error, 'Conflict') ||
  (error instanceof PortcullisError && error.code === 'NamespaceTerminating');
