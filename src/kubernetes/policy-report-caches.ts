import type { ReportStore, ReportStores } from '../controller/kubernetes-interface.ts';
import type { Resource } from '../base/kubernetes-objects.ts';
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
import { Cache } from './cache.ts';

/** The longest wait before a retry for a missing kind, in milliseconds. */
const ABSENT_MS = 60_000;
/** The selectors of the policy reports that the controller writes. The label alone is not enough, because any user can set the label. */
const REPORT_SELECTORS = {
  labelSelector: Object.entries(REPORT_LABELS)
    .map(([key, value]) => `${key}=${value}`)
    .join(),
  fieldSelector: `metadata.name=${REPORT_NAME}`,
};

/** Trims a report to its identity and a digest. The controller compares the digest before it writes. */
const trimReport = (report: KnownReport): KnownReport => {
  const { name, namespace = '', uid, resourceVersion } = report.metadata;
  return {
    metadata: { name, namespace, uid, resourceVersion },
    digest: digestOfReport(report as unknown as ReportContent),
  };
};

type NamespaceReports = ReportStore & { readonly run: (signal: AbortSignal) => Promise<void> };

function namespaceReports(resource: Resource<KnownReport>, options: CachesOptions): NamespaceReports {
  const reports = new Cache<KnownReport>(options.log);
  const reflector = new Reflector({
    random: Math.random,
    ...options,
    resource,
    cache: reports,
    trim: trimReport,
    select: REPORT_SELECTORS,
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

/** Returns the caches of policy reports, for each kind that clusters may serve. Reads nothing before `run`. */
export function reportCaches(options: CachesOptions): ReportStores {
  const reportStores = REPORT_KINDS.map((resource) => namespaceReports(resource, options));
  return {
    reportStores,
    run: async (signal) => {
      await Promise.all(reportStores.map((store) => store.run(signal)));
    },
  };
}
