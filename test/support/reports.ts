import type { KubernetesWriter, ReportStore } from '../../src/controller/kubernetes-interface.ts';
import { PortcullisError } from '../../src/base/errors.ts';
import { objectKey, type KubernetesObject, type ObjectKey, type Resource } from '../../src/base/kubernetes-objects.ts';
import { digestOfReport, REPORT_KINDS, type KnownReport, type ReportContent } from '../../src/policy/report.ts';
import { watchedDouble, type WatchedDouble } from './watched-cache.ts';

type State = ReturnType<ReportStore['state']>;

/** A report as the API server stores it. */
export type StoredReport = KubernetesObject & ReportContent;

export interface ReportsDouble {
  readonly reportStores: readonly ReportStore[];
  readonly writer: Pick<KubernetesWriter, 'create' | 'mergePatch' | 'delete'>;
  /** Writes such as `create reports shop`, in order. */
  readonly writes: string[];
  readonly report: (namespace: string, kind?: string) => StoredReport | undefined;
  readonly setState: (kind: string, state: State) => void;
  /** Sets the failure of the next writes, in one namespace or in all. Undefined for no failure. */
  readonly setFailure: (failure: Error | undefined, namespace?: string) => void;
  /** Returns the number of attempted writes. */
  readonly tries: () => number;
  /** Sets a field that the API server drops from stored objects. */
  readonly setPruned: (field: string) => void;
  /** Deletes or writes as another writer. */
  readonly remove: (namespace: string, kind?: string) => void;
  readonly tamper: (namespace: string, content: Partial<ReportContent>, kind?: string) => void;
  /** Stores a foreign report of the older kind with the controller's label. */
  readonly place: (name: string, namespace: string) => void;
}

interface StoredKind {
  readonly cache: WatchedDouble<KnownReport>;
  readonly stored: Map<ObjectKey, StoredReport>;
  state: State;
}

/** Creates an API server double for policy reports. By default, it serves the kind of `openreports.io`, but not the older kind. */
export function reportsDouble(): ReportsDouble {
  const kinds = new Map<string, StoredKind>(
    REPORT_KINDS.map(({ plural }) => [
      plural,
      { cache: watchedDouble<KnownReport>(), stored: new Map(), state: plural === 'reports' ? 'served' : 'absent' },
    ]),
  );
  const writes: string[] = [];
  let failure: Error | undefined;
  let tries = 0;
  const failures = new Map<string, Error>();
  let pruned = '';
  let version = 0;
  const kindOf = (plural: string): StoredKind => {
    const found = kinds.get(plural);
    if (found === undefined) throw new Error(`unknown kind ${plural}`);
    return found;
  };
  const write = (verb: string, plural: string, namespace: string): void => {
    tries += 1;
    const failed = failures.get(namespace) ?? failure;
    if (failed !== undefined) throw failed;
    writes.push(`${verb} ${plural} ${namespace}`);
  };
  const keep = (plural: string, kept: StoredReport): StoredReport => {
    version += 1;
    const report = { ...kept, metadata: { ...kept.metadata, resourceVersion: String(version), uid: `u${version}` } };
    const stored = Object.fromEntries(Object.entries(report).filter(([field]) => field !== pruned)) as typeof report;
    const key = objectKey(stored.metadata.name, stored.metadata.namespace);
    kindOf(plural).stored.set(key, stored);
    kindOf(plural).cache.put({ metadata: stored.metadata, digest: digestOfReport(stored) });
    return stored;
  };
  const drop = (plural: string, key: ObjectKey): void => {
    kindOf(plural).stored.delete(key);
    kindOf(plural).cache.remove(key);
  };
  const keyIn = (namespace: string): ObjectKey => objectKey('portcullis', namespace);
  return {
    reportStores: REPORT_KINDS.map((resource) => ({
      resource,
      reports: kindOf(resource.plural).cache,
      state: () => kindOf(resource.plural).state,
    })),
    writes,
    report: (namespace, kind = 'reports') => kindOf(kind).stored.get(keyIn(namespace)),
    setState: (kind, state) => {
      kindOf(kind).state = state;
    },
    setFailure: (error, namespace) => {
      if (namespace !== undefined && error !== undefined) failures.set(namespace, error);
      else failures.clear();
      if (namespace === undefined) failure = error;
    },
    tries: () => tries,
    setPruned: (field) => {
      pruned = field;
    },
    remove: (namespace, kind = 'reports') => drop(kind, keyIn(namespace)),
    tamper: (namespace, content, kind = 'reports') => {
      const before = kindOf(kind).stored.get(keyIn(namespace));
      if (before !== undefined) keep(kind, { ...before, ...content });
    },
    place: (name, namespace) => {
      const metadata = { name, namespace, uid: `${namespace}/${name}`, resourceVersion: '1' };
      kindOf('policyreports').cache.put({ metadata, digest: '' });
    },
    writer: {
      create: async <Kind extends KubernetesObject>({ plural }: Resource<Kind>, object: object): Promise<Kind> => {
        const report = object as StoredReport;
        write('create', plural, report.metadata.namespace ?? '');
        return keep(plural, report) as unknown as Kind;
      },
      mergePatch: async <Kind extends KubernetesObject>({ plural }: Resource<Kind>, key: ObjectKey, patch: object) => {
        const before = kindOf(plural).stored.get(key);
        if (before === undefined) throw new PortcullisError('NotFound', 'gone');
        write('patch', plural, before.metadata.namespace ?? '');
        return keep(plural, { ...before, ...patch, metadata: before.metadata }) as unknown as Kind;
      },
      delete: async ({ plural }, key) => {
        write('delete', plural, kindOf(plural).cache.get(key)?.metadata.namespace ?? '');
        drop(plural, key);
      },
    },
  };
}
