import type { ReportStore, ReportStores } from '../controller/port.ts';
import type { Resource } from '../base/objects.ts';
import {
  digestOfReport,
  REPORT_KINDS,
  REPORT_LABELS,
  REPORT_NAME,
  type KnownReport,
  type ReportContent,
} from '../policy/report.ts';
import type { CachesOptions } from './caches.ts';
import { READING, Reflector } from './reflector.ts';
import { Cache } from './store.ts';

/** Milliseconds, at most, until it is seen that a cluster now serves a kind. */
const ABSENT_MS = 60_000;
/** By the name as well: the label is anybody's to write, and there is room for a report a namespace. */
const OURS = {
  labelSelector: Object.entries(REPORT_LABELS)
    .map(([key, value]) => `${key}=${value}`)
    .join(),
  fieldSelector: `metadata.name=${REPORT_NAME}`,
};

/** That it is there, and what it says in so many characters as a digest has. */
const trimReport = (report: KnownReport): KnownReport => {
  const { name, namespace = '', uid, resourceVersion } = report.metadata;
  return {
    metadata: { name, namespace, uid, resourceVersion },
    digest: digestOfReport(report as unknown as ReportContent),
  };
};

type NamespaceReports = ReportStore & { readonly run: (signal: AbortSignal) => Promise<void> };

function shelfOf(resource: Resource<KnownReport>, options: CachesOptions): NamespaceReports {
  const reports = new Cache<KnownReport>(options.log);
  const reflector = new Reflector({
    random: Math.random,
    ...options,
    resource,
    cache: reports,
    trim: trimReport,
    select: OURS,
    isOptional: true,
    absentMs: ABSENT_MS,
  });
  return {
    resource,
    reports,
    state: () => {
      if (reports.hasSynced()) return reflector.isAbsent ? 'absent' : 'served';
      return reflector.problem() === READING ? 'unknown' : 'closed';
    },
    run: (signal) => reflector.run(signal),
  };
}

/** The kinds in which findings may be told, and the reports of ours that there are. Nothing is asked before `run`. */
export function reportCaches(options: CachesOptions): ReportStores {
  const shelves = REPORT_KINDS.map((resource) => shelfOf(resource, options));
  return {
    shelves,
    run: async (signal) => {
      await Promise.all(shelves.map((shelf) => shelf.run(signal)));
    },
  };
}
