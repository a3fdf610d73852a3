import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createPolicyReporter, type ReporterParts } from '../../src/controller/policy/reporter.ts';
import { OWNER_INDEX, ownedBy } from '../../src/inventory/load-balancers-by-owner.ts';
import type { ClassicLoadBalancer } from '../../src/inventory/custom-resources.ts';
import {
  keyOf,
  objectKey,
  type KubernetesObject,
  type Namespace,
  type ObjectKey,
  type Resource,
  type Service,
} from '../../src/base/kubernetes-objects.ts';
import { followPolicies } from '../../src/policy/policy-watch.ts';
import type {
  LoadBalancerException,
  LoadBalancerPolicy,
  LoadBalancerPolicySpec,
  StatusCondition,
} from '../../src/policy/custom-resources.ts';
import { TUNABLE } from '../../src/rules/index.ts';
import { aFacts, type FactsInput } from './facts.ts';
import { aPolicy } from './policy.ts';
import { reportsDouble, type ReportsDouble } from './reports.ts';
import { VirtualClock } from './virtual-clock.ts';
import { watchedDouble, type WatchedDouble } from './watched-cache.ts';

export const namespace = (name: string, labels: Readonly<Record<string, string>> = {}): Namespace => ({
  metadata: { name, uid: name, resourceVersion: '1', labels: { ...labels, 'kubernetes.io/metadata.name': name } },
});
/** Policy of these tests, for namespaces of team shop. */
export const SPEC: LoadBalancerPolicySpec = {
  match: { namespaceSelector: { matchLabels: { team: 'shop' } } },
  constraints: [{ name: 'c', require: [{ field: 'port', noneOf: ['22'] }] }],
};

interface Stored {
  readonly status?: { readonly conditions: readonly StatusCondition[] };
}

/** Initial state of a case, or the final state of an earlier case. */
export interface ReporterCaseInput {
  readonly clock?: VirtualClock;
  readonly policies?: WatchedDouble<LoadBalancerPolicy>;
  readonly exceptions?: WatchedDouble<LoadBalancerException>;
  readonly namespaces?: WatchedDouble<Namespace>;
  readonly services?: WatchedDouble<Service>;
  readonly double?: ReportsDouble;
  readonly facts?: FactsInput;
}

const twoNamespaces = () => watchedDouble<Namespace>([namespace('shop', { team: 'shop' }), namespace('bank')]);

/** Creates a policy reporter in virtual time, with an API server that accepts its writes unless a failure is set. */
export function reporterCase({
  clock = new VirtualClock(),
  policies = watchedDouble(),
  exceptions = watchedDouble(),
  namespaces = twoNamespaces(),
  services = watchedDouble(),
  double = reportsDouble(),
  facts: initialFacts = {},
}: ReporterCaseInput = {}) {
  const events: string[] = [];
  let facts = initialFacts;
  const writes: string[] = [];
  const unknown = new Set<string>();
  let failure: Error | undefined;
  let tries = 0;
  const merged = (before: object | undefined, patch: Readonly<Record<string, unknown>>): object =>
    Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null));
  const store = <Kind extends LoadBalancerPolicy | LoadBalancerException>(
    cache: ReturnType<typeof watchedDouble<Kind>>,
    key: ObjectKey,
    status: object,
  ): void => {
    const object = cache.get(key);
    if (object !== undefined) cache.put({ ...object, status: merged(object.status, { ...status }) });
  };
  const writer: ReporterParts['writer'] = {
    ...double.writer,
    mergePatch: <Kind extends KubernetesObject>(
      resource: Resource<Kind>,
      key: ObjectKey,
      patch: object,
      options: object,
      signal: AbortSignal,
    ): Promise<Kind> => {
      const { plural } = resource;
      if (plural === 'reports') return double.writer.mergePatch(resource, key, patch, options, signal);
      tries += 1;
      if (failure !== undefined) return Promise.reject(failure);
      writes.push(`${plural}/${key}`);
      const { status } = patch as { readonly status: object };
      const known = Object.fromEntries(Object.entries(status).filter(([field]) => !unknown.has(field)));
      if (plural === 'loadbalancerpolicies') store(policies, key, known);
      else store(exceptions, key, known);
      return Promise.resolve({ status: known } as unknown as Kind);
    },
  };
  const log = pino({ level: 'silent' });
  const caches = { policies, exceptions, namespaces, services };
  const classicLoadBalancers = watchedDouble<ClassicLoadBalancer>([], OWNER_INDEX);
  const { policyCache } = followPolicies({ ...caches, clock, log, tunable: TUNABLE, warnOnly: false });
  const registry = new Registry();
  const reporter = createPolicyReporter({
    ...{
      ...caches,
      classicLoadBalancers,
      policyCache,
      writer,
      clock,
      log,
      registry,
      reportStores: double.reportStores,
    },
    facts: {
      ...aFacts(),
      freshness: () => aFacts(facts).freshness(),
      ownedBy: (service) => ownedBy(classicLoadBalancers, keyOf(service)),
    },
    events: {
      record: ({ kind, name }, type, reason, message) =>
        void events.push(`${type} ${kind}/${name} ${reason}: ${message}`),
    },
  });
  const stop = new AbortController();
  const running = reporter.run(stop.signal).catch((error: unknown) => error);
  const reasonOf = (object: Stored | undefined): string => object?.status?.conditions[0]?.reason ?? '';
  return {
    /** Returns the number of status writes, including failed ones. */
    tries: () => tries,
    ...caches,
    ...{ classicLoadBalancers, clock, writes, events, double, registry },
    setFacts: (input: FactsInput) => {
      facts = input;
    },
    /** The fields of statuses that the API server drops, as with an older CRD. */
    unknown,
    fail: (error: Error | undefined) => {
      failure = error;
    },
    stop: async (): Promise<unknown> => {
      stop.abort(new Error('over'));
      return clock.complete(running);
    },
    /** Changes a policy as a user. The status stays. */
    change: (name: string, spec: LoadBalancerPolicySpec): void => {
      const { metadata } = aPolicy(name, spec, '2');
      policies.put({ ...policies.get(objectKey(name)), metadata: { ...metadata, generation: 2 }, spec });
    },
    policy: (name: string) => policies.get(objectKey(name)),
    ofPolicy: (name: string) => reasonOf(policies.get(objectKey(name))),
    ofException: (name: string) => reasonOf(exceptions.get(objectKey(name))),
  };
}
