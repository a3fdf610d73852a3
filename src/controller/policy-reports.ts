import type { Clock } from '../clock.ts';
import { hasReason, messageOf, PortcullisError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { objectKey, type ObjectKey, type Resource } from '../objects.ts';
import {
  digestOfReport,
  REPORT_LABELS,
  REPORT_NAME,
  reportOf,
  type KnownReport,
  type NamespaceFindings,
  type ReportContent,
} from '../policy/report.ts';
import type { KubernetesWriter, ReportShelf } from './port.ts';

export interface ReportsParts {
  /** The preferred one first. */
  readonly shelves: readonly ReportShelf[];
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
/** Milliseconds after which a refused write is tried again: somebody has to grant it. */
const REFUSED_MS = 600_000;
/** The same after any other failure. */
const FAILED_MS = 30_000;

const keyIn = (namespace: string): ObjectKey => objectKey(REPORT_NAME, namespace);

/** Keeps a report in every namespace in which something is found, in the first kind that the cluster serves, and none anywhere else. */
export class PolicyReports {
  readonly #parts: ReportsParts;
  readonly #dirty = new Set<string>();
  readonly #written = new Map<string, Written>();
  #shelf: ReportShelf | undefined;
  #told = '';
  #pausedUntilMs = -Infinity;

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

  /** Whether something is left to be written: all of it, where there is another kind to report in than before. */
  get isDirty(): boolean {
    const choice = this.#choice();
    const isLeft = this.#dirty.size > 0 || (choice !== undefined && choice !== this.#shelf);
    return isLeft && this.#parts.clock.monotonic() >= this.#pausedUntilMs;
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
    if (this.#parts.clock.monotonic() < this.#pausedUntilMs) return;
    const left = AT_A_TIME - (await this.#clearOthers(shelf, signal));
    for (const namespace of [...this.#dirty].slice(0, Math.max(left, 0))) {
      const isSettled = await this.#attempt(() => this.#tell(shelf, source, namespace, signal), signal);
      if (!isSettled) return;
      this.#dirty.delete(namespace);
    }
  }

  /** The first kind that is served; none as long as a preferred one may turn out to be. */
  #choice(): ReportShelf | undefined {
    const first = this.#parts.shelves.find((shelf) => ['unknown', 'served'].includes(shelf.state()));
    return first?.state() === 'served' ? first : undefined;
  }

  #turnTo(shelf: ReportShelf, source: ReportSource): void {
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

  /** Takes away what was reported in a kind that is no longer the chosen one; answers how many reports that were. */
  async #clearOthers(chosen: ReportShelf, signal: AbortSignal): Promise<number> {
    let deleted = 0;
    for (const shelf of this.#parts.shelves) {
      if (shelf === chosen || shelf.state() !== 'served') continue;
      for (const namespace of namespacesOf(shelf).slice(0, AT_A_TIME - deleted)) {
        deleted += 1;
        await this.#attempt(() => this.#delete(shelf, namespace, signal), signal);
      }
    }
    return deleted;
  }

  /** Has the report of a namespace say what is found there. */
  async #tell(shelf: ReportShelf, source: ReportSource, namespace: string, signal: AbortSignal): Promise<void> {
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
    resource: ReportShelf['resource'],
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

  async #delete({ resource, reports }: ReportShelf, namespace: string, signal: AbortSignal): Promise<void> {
    const there = reports.get(keyIn(namespace));
    if (there === undefined) return;
    await this.#parts.writer.delete(resource, keyIn(namespace), { uid: there.metadata.uid }, signal);
    await this.#parts.clock.sleep(PACE_MS, signal);
  }

  /** Answers whether nothing is left to be done; not where it has failed for a cause that may pass. */
  async #attempt(work: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    try {
      await work();
      this.#told = '';
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (isOver(error)) return true;
      this.#pause(error);
      return false;
    }
  }

  /** Waits before the next try; what keeps us is said once. */
  #pause(error: unknown): void {
    const { clock, log } = this.#parts;
    const isRefused = hasReason(error, 'Unauthorized') || hasReason(error, 'Rejected');
    this.#pausedUntilMs = clock.monotonic() + (isRefused ? REFUSED_MS : FAILED_MS);
    const cause = error instanceof PortcullisError ? `${error.reason} ${error.code ?? ''}` : messageOf(error);
    log[cause === this.#told ? 'debug' : 'warn'](
      { error: messageOf(error) },
      'reports cannot be written: everything else goes on',
    );
    this.#told = cause;
  }
}

const namespacesOf = ({ reports }: ReportShelf): readonly string[] =>
  [...reports.values()].map(({ metadata }) => metadata.namespace ?? '');

/** Nothing is left to be done: the namespace, the report or its kind is gone or going, or somebody else's report has the name. */
const isOver = (error: unknown): boolean =>
  hasReason(error, 'NotFound') ||
  hasReason(error, 'Conflict') ||
  (error instanceof PortcullisError && error.code === 'NamespaceTerminating');
