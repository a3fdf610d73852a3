import { isDeepStrictEqual } from 'node:util';
import type { Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import type { Facts } from '../../inventory/facts.ts';
import type { ClassicLoadBalancer } from '../../inventory/resource.ts';
import type { Logger } from '../../base/log.ts';
import type { KubernetesObject, Namespace, ObjectKey, Service } from '../../base/objects.ts';
import type { PolicyCache } from '../../policy/policy-cache.ts';
import type { PolicySources } from '../../policy/follow.ts';
import { gatherStatusInputs } from '../../policy/status.ts';
import { StoredLabels } from '../../policy/stored-labels.ts';
import { isMoreThanStatus, type Watched } from '../../base/store.ts';
import { Findings } from './findings.ts';
import { exceptionsGauge, policiesGauge } from './metrics.ts';
import { PolicyReports } from './reports.ts';
import { PolicyStatuses } from './statuses.ts';
import { INDEX, type EventRecorder, type KubernetesWriter, type ReportStore } from '../port.ts';
import { findingsIn } from './stored-findings.ts';

export interface ReporterParts extends Pick<PolicySources, 'policies' | 'exceptions' | 'namespaces'> {
  /** Of these policies, told of every change before the reporter is. */
  readonly book: PolicyCache;
  /** With `INDEX.servicesByLoadBalancer`. */
  readonly services: Watched<Service>;
  readonly classicLoadBalancers: Watched<ClassicLoadBalancer>;
  readonly facts: Facts;
  /** The kinds in which findings can be reported, the preferred one first. */
  readonly shelves: readonly ReportStore[];
  readonly writer: Pick<KubernetesWriter, 'create' | 'mergePatch' | 'delete'>;
  readonly events: EventRecorder;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Says in the status of policies and exceptions how they stand, and in reports what is found in stored Services. */
export interface PolicyReporter {
  /** Runs until the signal is aborted, then rejects with its reason. What cannot be written is said and tried again. */
  run(signal: AbortSignal): Promise<void>;
}

/** Milliseconds from one look at what has changed to the next: all of this is for people, who wait as long. */
const INTERVAL_MS = 2_000;
/** Without any change: exceptions end, and dates come. */
const IDLE_MS = 30_000;
/** After which every Service is looked at again: what is known of the cloud changes, too. */
const AGAIN_MS = 600_000;
/** For which Services are not looked through while nothing recent is known of the cloud: much of it would soon be said otherwise. */
const PATIENCE_MS = 120_000;

/** Findings are said in the same words as long as the facts are recent enough to count. */
const steady = (facts: Facts): Facts => ({
  ...facts,
  freshness: () => {
    const freshness = facts.freshness();
    return freshness.kind === 'fresh' ? { kind: 'fresh', ageMs: 0 } : freshness;
  },
});

export function createPolicyReporter(parts: ReporterParts): PolicyReporter {
  const { policies, exceptions, namespaces, services, clock, book } = parts;
  const statuses = new PolicyStatuses(parts);
  const reports = new PolicyReports(parts);
  const { findings, isReady, refresh } = lookThrough(parts);
  policiesGauge(parts.registry, book);
  exceptionsGauge(parts.registry, book, clock);
  const labelsNow = storedLabels(parts);
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
    const isLookedThrough = isReady() && (policies.size > 0 || reports.isWanted);
    if (isLookedThrough) await findings.update(signal);
    // A first policy may have come meanwhile.
    if (!isKnown()) return;
    const places = isLookedThrough ? { of: (rule: string) => findings.placesOf(rule) } : undefined;
    const survey = gatherStatusInputs(book, labelsNow(), clock.now(), places);
    await statuses.write([...policies.values()], [...exceptions.values()], survey, signal);
    if (!isLookedThrough) return;
    reports.changed(findings.takeChanged());
    await reports.write(findings, signal);
  };
  return {
    run: async (signal) => {
      let lookedAt = -Infinity;
      let wasReady = false;
      for (;;) {
        signal.throwIfAborted();
        // What is found waits for the cloud to be known, and for a kind to be told in.
        const isAwaited = isReady() && (!wasReady || reports.isDirty);
        const nowMs = clock.monotonic();
        const isDue = isDirty || isAwaited || nowMs >= Math.min(lookedAt + IDLE_MS, statuses.dueAtMs);
        if (isDue && isKnown()) {
          lookedAt = nowMs;
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
  /** Whether enough is known of the cloud for findings to be told. */
  readonly isReady: () => boolean;
  /** Has Services looked at again where it is time to. */
  readonly refresh: () => void;
}

/** Answers the labels of what is stored, which are put in order again when there are others. */
function storedLabels({ book, namespaces, services }: ReporterParts): () => StoredLabels {
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
      book,
      Iterator.from(namespaces.values()).map(({ metadata }) => metadata.name),
      services,
    ));
}

/** Looks through the stored Services, as often as there is a reason. */
function lookThrough(parts: ReporterParts): Search {
  const { services, facts, book, clock } = parts;
  const steadyFacts = steady(facts);
  const findings = new Findings({
    services,
    look: (service) => findingsIn(service, { facts: steadyFacts, policy: book, operations: book.operations }),
    clock,
  });
  const beganMs = clock.monotonic();
  let lookedAtMs = beganMs;
  let wasFresh = false;
  forgetOnChange(parts, findings);
  return {
    findings,
    isReady: () => facts.freshness().kind === 'fresh' || clock.monotonic() - beganMs >= PATIENCE_MS,
    refresh: () => {
      const isFresh = facts.freshness().kind === 'fresh';
      const isTime = isFresh && (!wasFresh || clock.monotonic() - lookedAtMs >= AGAIN_MS);
      wasFresh = isFresh;
      if (!isTime) return;
      lookedAtMs = clock.monotonic();
      findings.forgetAll();
    },
  };
}

/** Has Services looked at again when something else changes by which they are judged. */
function forgetOnChange(parts: ReporterParts, findings: Findings): void {
  const { policies, exceptions, namespaces, services, classicLoadBalancers } = parts;
  for (const source of [policies, exceptions] as readonly Pick<Watched<KubernetesObject>, 'onChange'>[]) {
    source.onChange((change) => {
      if (isMoreThanStatus(change)) findings.forgetAll();
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
