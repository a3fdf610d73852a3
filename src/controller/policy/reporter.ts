import { isDeepStrictEqual } from 'node:util';
import type { Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import type { Facts } from '../../inventory/facts.ts';
import type { ClassicLoadBalancer } from '../../inventory/custom-resources.ts';
import type { Logger } from '../../base/log.ts';
import type { KubernetesObject, Namespace, ObjectKey, Service } from '../../base/kubernetes-objects.ts';
import type { PolicyCache } from '../../policy/policy-cache.ts';
import type { PolicySources } from '../../policy/policy-watch.ts';
import { quotaLevels, type QuotaLevel } from '../../policy/quota-usage.ts';
import { gatherStatusInputs } from '../../policy/status.ts';
import { StoredLabels } from '../../policy/stored-labels.ts';
import { mayChangeSpec, type Watched } from '../../base/cache-interfaces.ts';
import { Findings } from './findings.ts';
import { exceptionsGauge, policiesGauge, quotaGauges } from './metrics.ts';
import { PolicyReports } from './report-writer.ts';
import { PolicyStatuses } from './statuses.ts';
import { INDEX, type EventRecorder, type KubernetesWriter, type ReportStore } from '../kubernetes-interface.ts';
import { findingsIn } from './stored-service-evaluation.ts';

export interface ReporterParts extends Pick<PolicySources, 'policies' | 'exceptions' | 'namespaces'> {
  /** The compiled policies. This cache receives each change before the reporter. */
  readonly policyCache: PolicyCache;
  /** The Services, with the index `INDEX.servicesByLoadBalancer`. */
  readonly services: Watched<Service>;
  readonly classicLoadBalancers: Watched<ClassicLoadBalancer>;
  readonly facts: Facts;
  /** The kinds of policy reports, the preferred kind first. */
  readonly reportStores: readonly ReportStore[];
  readonly writer: Pick<KubernetesWriter, 'create' | 'mergePatch' | 'delete'>;
  readonly events: EventRecorder;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The reporter of policies. Writes the statuses of policies and exceptions, and policy reports about stored Services. */
export interface PolicyReporter {
  /** Checks for changes every 2 s until the signal aborts, then rejects with its reason. Logs and retries failed writes. */
  run(signal: AbortSignal): Promise<void>;
}

/** The time between two checks for changes, in milliseconds. */
const INTERVAL_MS = 2_000;
/** The time after which a pass runs even without a change, in milliseconds, because exceptions expire without a change of an object. */
const IDLE_MS = 30_000;
/**
 * The time after which every Service is evaluated again, in milliseconds, because the facts about the cloud change without a change of the Service.
 */
const REEVALUATION_MS = 600_000;
/**
 * The maximum wait for recent facts about the cloud before the first evaluation, in milliseconds. With old facts, many findings would soon change
 * again.
 */
const PATIENCE_MS = 120_000;

/** Returns the facts, with age 0 while fresh, because messages contain the age, and equal findings need equal messages. */
const steady = (facts: Facts): Facts => ({
  ...facts,
  freshness: () => {
    const freshness = facts.freshness();
    return freshness.kind === 'fresh' ? { kind: 'fresh', ageMs: 0 } : freshness;
  },
});

/** Creates the reporter of policies. Call only while the process leads. */
export function createPolicyReporter(parts: ReporterParts): PolicyReporter {
  const { policies, exceptions, namespaces, services, clock, policyCache } = parts;
  const statuses = new PolicyStatuses(parts);
  const reports = new PolicyReports(parts);
  const { findings, isReady, refresh } = createFindings(parts);
  policiesGauge(parts.registry, policyCache);
  exceptionsGauge(parts.registry, policyCache, clock);
  const labelsNow = storedLabels(parts);
  let levels: readonly QuotaLevel[] = [];
  quotaGauges(parts.registry, () => levels);
  let isDirty = true;
  for (const cache of [policies, exceptions, namespaces, services] as readonly Pick<
    Watched<KubernetesObject>,
    'onChange'
  >[]) {
    cache.onChange(() => {
      isDirty = true;
    });
  }
  const isEmpty = (): boolean => policies.size === 0 && exceptions.size === 0;
  const isKnown = (): boolean =>
    [policies, exceptions, services].every((cache) => cache.hasSynced()) && (isEmpty() || namespaces.hasSynced());

  const pass = async (signal: AbortSignal): Promise<void> => {
    isDirty = false;
    const isEvaluating = isReady() && (policies.size > 0 || reports.isWanted);
    if (isEvaluating) await findings.update(signal);
    // A user may have created the first policy during the evaluation. A policy needs the cache of Namespaces, which may not be filled yet.
    if (!isKnown()) return;
    const locations = isEvaluating ? { of: (rule: string) => findings.locationsOf(rule) } : undefined;
    const statusInputs = gatherStatusInputs(policyCache, labelsNow(), clock.now(), locations);
    levels = quotaLevels(policyCache, statusInputs.selected);
    await statuses.write([...policies.values()], [...exceptions.values()], statusInputs, signal);
    if (!isEvaluating) return;
    reports.changed(findings.takeChanged());
    await reports.write(findings, signal);
  };
  return {
    run: async (signal) => {
      let lastPassMs = -Infinity;
      let wasReady = false;
      for (;;) {
        signal.throwIfAborted();
        // Even without a change, a pass runs when the facts about the cloud become known, and while a report is due.
        const isAwaited = isReady() && (!wasReady || reports.isDirty);
        const nowMs = clock.monotonic();
        const isDue = isDirty || isAwaited || nowMs >= Math.min(lastPassMs + IDLE_MS, statuses.dueAtMs);
        if (isDue && isKnown()) {
          lastPassMs = nowMs;
          wasReady = isReady();
          refresh();
          await pass(signal);
        }
        await clock.sleep(INTERVAL_MS, signal);
      }
    },
  };
}

interface Search {
  readonly findings: Findings;
  /** Returns whether the facts about the cloud are fresh, or the wait for fresh facts is over. */
  readonly isReady: () => boolean;
  /** Marks all Services for another evaluation when the facts become fresh, and every ten minutes while the facts are fresh. */
  readonly refresh: () => void;
}

/** Returns a cached read of the labels of stored objects. A change of a label invalidates the cache. */
function storedLabels({ policyCache, namespaces, services }: ReporterParts): () => StoredLabels {
  let labels: StoredLabels | undefined;
  const forget = (): void => {
    labels = undefined;
  };
  const ofNamespace = (namespace?: Namespace) => namespace && [namespace.metadata.labels];
  const ofService = (service?: Service) =>
    service?.spec?.type === 'LoadBalancer' ? [service.metadata.labels] : undefined;
  namespaces.onChange(({ before, after }) => {
    if (!isDeepStrictEqual(ofNamespace(before), ofNamespace(after))) forget();
  });
  services.onChange(({ before, after }) => {
    if (!isDeepStrictEqual(ofService(before), ofService(after))) forget();
  });
  return () =>
    (labels ??= new StoredLabels(
      policyCache,
      Iterator.from(namespaces.values()).map(({ metadata }) => metadata.name),
      services,
    ));
}

/** Returns the search for findings in the stored Services. */
function createFindings(parts: ReporterParts): Search {
  const { services, facts, policyCache, clock } = parts;
  const steadyFacts = steady(facts);
  const findings = new Findings({
    services,
    evaluate: (service) =>
      findingsIn(service, { facts: steadyFacts, policy: policyCache, operations: policyCache.operations }),
    clock,
  });
  const beganMs = clock.monotonic();
  let lastEvaluationMs = beganMs;
  let wasFresh = false;
  forgetOnChange(parts, findings);
  return {
    findings,
    isReady: () => facts.freshness().kind === 'fresh' || clock.monotonic() - beganMs >= PATIENCE_MS,
    refresh: () => {
      const isFresh = facts.freshness().kind === 'fresh';
      const isEvaluationDue = isFresh && (!wasFresh || clock.monotonic() - lastEvaluationMs >= REEVALUATION_MS);
      wasFresh = isFresh;
      if (!isEvaluationDue) return;
      lastEvaluationMs = clock.monotonic();
      findings.forgetAll();
    },
  };
}

/** Marks Services for another evaluation when policies, exceptions, namespaces or load balancers change. */
function forgetOnChange(parts: ReporterParts, findings: Findings): void {
  const { policies, exceptions, namespaces, services, classicLoadBalancers } = parts;
  for (const source of [policies, exceptions] as readonly Pick<Watched<KubernetesObject>, 'onChange'>[]) {
    source.onChange((change) => {
      if (mayChangeSpec(change)) findings.forgetAll();
    });
  }
  namespaces.onChange(({ before, after }) => {
    const { name, labels } = (after ?? before)?.metadata ?? {};
    if (isDeepStrictEqual(before?.metadata.labels, labels)) return;
    findings.forget(Iterator.from(services.values()).filter(({ metadata }) => metadata.namespace === name));
  });
  classicLoadBalancers.onChange(({ before, after }) => {
    const { name } = (after ?? before)?.metadata ?? {};
    if (name !== undefined) findings.forget(services.byIndex(INDEX.servicesByLoadBalancer, name));
    for (const { status } of [before, after].flatMap((each) => each ?? [])) {
      const service = services.get((status?.service ?? '') as ObjectKey);
      if (service !== undefined) findings.forget([service]);
    }
  });
}
