import { parseAnnotations } from '../annotation/parse.ts';
import type { Clock } from '../base/clock.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import type { Watched } from '../base/cache-interfaces.ts';
import { EffectivePolicy } from './policy-evaluation.ts';
import {
  compilePolicy,
  matches,
  type CompiledPolicy as Compiled,
  type Problem,
  type CompiledQuota,
} from './compile.ts';
import { defaultsFor, isAllWritten, NO_DEFAULTS_APPLIED, type AppliedDefaults } from './annotation-defaults.ts';
import { compileException, Exceptions, type Exception } from './exceptions.ts';
import { ENFORCE_ALL, WARN_ALL, requestAbout, type Policy, type PolicyRequest } from './policy-decisions.ts';
import { PolicySet, type Member } from './namespace-policies.ts';
import type { LoadBalancerException, LoadBalancerPolicy, PolicyOperation } from './custom-resources.ts';
import type { Labelled, Labels } from './selector.ts';
import { requestedUsage } from './requested-usage.ts';
import { QuotaCounter } from './quota-counter.ts';
import type { Tunable } from './tunable-rule.ts';
import { NO_USAGE, type Usage } from './usage.ts';
import type { UsageSource } from './usage-source.ts';

/** The inputs of a policy cache. */
export interface PolicyCacheOptions {
  readonly tunable: Tunable;
  /** Returns the labels of a namespace. Returns undefined if the labels are not known yet. */
  readonly labelsOf: (namespace: string) => Labels | undefined;
  /** The Services. Quotas count the resources that these Services request. Undefined if quotas are not evaluated. */
  readonly services?: Watched<Service>;
  readonly clock: Pick<Clock, 'now'>;
  readonly warnOnly: boolean;
}

/** The label that holds the name of a namespace. The API server sets the label on every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name';
const NOWHERE: Labelled = { labels: {}, isComplete: true };

/** The compiled policies and exceptions of a cluster. A change compiles only the changed object. */
export class PolicyCache implements Policy {
  readonly #options: PolicyCacheOptions;
  readonly #policies = new Map<string, Compiled>();
  readonly #exceptions = new Map<string, Exception>();
  readonly #filed = new Exceptions();
  readonly #problems = new Map<string, readonly Problem[]>();
  /** The policies, sorted by name. Undefined after a change. */
  #sorted: readonly Compiled[] | undefined;
  #operations: readonly PolicyOperation[] | undefined;
  readonly #byNamespace = new Map<string, PolicySet>();
  /** The policy sets by the names of their members. */
  readonly #sets = new Map<string, PolicySet>();
  readonly #quotaCounters: QuotaCounter[] = [];
  readonly #requested: QuotaCounter | undefined;
  #admitted: QuotaCounter | undefined;

  constructor(options: PolicyCacheOptions) {
    this.#options = options;
    const { services } = options;
    this.#requested = services && this.#createQuotaCounter(requestedUsage(services));
  }

  mode(): 'enforce' | 'warn' {
    return this.#options.warnOnly ? 'warn' : 'enforce';
  }

  /** The policies, sorted by name. */
  get policies(): readonly Compiled[] {
    return (this.#sorted ??= [...this.#policies.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
  }

  /** The operations that an evaluation assumes for stored objects: `CREATE`, and also `UPDATE` if a policy does not match `CREATE`. */
  get operations(): readonly PolicyOperation[] {
    return (this.#operations ??= this.policies.some(({ operations }) => operations?.has('CREATE') === false)
      ? ['CREATE', 'UPDATE']
      : ['CREATE']);
  }

  policy(name: string): Compiled | undefined {
    return this.#policies.get(name);
  }

  /** Returns an exception. Returns undefined if the exception does not exist or is invalid. */
  exception(name: string): Exception | undefined {
    return this.#exceptions.get(name);
  }

  get exceptions(): Iterable<Exception> {
    return this.#exceptions.values();
  }

  /** Returns the problems of an exception. Returns an empty list if the exception is valid or does not exist. */
  problemsOfException(name: string): readonly Problem[] {
    return this.#problems.get(name) ?? [];
  }

  /** Stores a policy and returns its problems. Ignores a policy with an unchanged generation, because only its status or metadata changed. */
  putPolicy(policy: LoadBalancerPolicy): readonly Problem[] {
    const { name, uid, generation } = policy.metadata;
    const known = this.#policies.get(name);
    if (known?.uid === uid && known.generation === generation) return [];
    const compiled = compilePolicy(policy, this.#options.tunable);
    this.#policies.set(name, compiled);
    this.#forget();
    return compiled.problems;
  }

  removePolicy(name: string): void {
    if (this.#policies.delete(name)) this.#forget();
  }

  /** Stores an exception and returns its problems. */
  putException(exception: LoadBalancerException): readonly Problem[] {
    const { name } = exception.metadata;
    this.removeException(name);
    const compiled = compileException(exception, this.#options.tunable);
    if (compiled.problem !== undefined) {
      this.#problems.set(name, [compiled.problem]);
      return [compiled.problem];
    }
    this.#exceptions.set(name, compiled.exception);
    this.#filed.add(compiled.exception);
    return [];
  }

  removeException(name: string): void {
    const before = this.#exceptions.get(name);
    if (before !== undefined) this.#filed.remove(before);
    this.#exceptions.delete(name);
    this.#problems.delete(name);
  }

  /** Invalidates the policies of a namespace. Must run when a namespace is created, deleted or relabeled. */
  namespaceChanged(name: string): void {
    this.#byNamespace.delete(name);
    this.#recount();
  }

  /** Returns the policy of the controller. Quotas count the usage in `source`, and constraints deny even while namespace labels are unknown. */
  counting(source: UsageSource): Policy {
    const quotaCounter = (this.#admitted = this.#createQuotaCounter(source));
    return { mode: () => this.mode(), on: (request) => this.#scopePolicy(request, quotaCounter, true) };
  }

  on(request: PolicyRequest): Policy {
    return this.#scopePolicy(request, this.#requested);
  }

  #scopePolicy(request: PolicyRequest, quotaCounter: QuotaCounter | undefined, isStrict = false): Policy {
    const { warnOnly, clock } = this.#options;
    const isEmpty = this.#policies.size === 0 && this.#exceptions.size === 0;
    if (isEmpty) return warnOnly ? WARN_ALL : ENFORCE_ALL;
    const set = this.#setOf(request);
    return new EffectivePolicy({
      set,
      exceptions: this.#filed,
      namespace: this.labelled(request.namespace),
      request,
      now: clock.now(),
      warnOnly,
      isStrict,
      quotaCounter,
    });
  }

  /** Returns the defaults for a new Service from all policies that apply to the Service. */
  defaultsForService(object: Service, facts: Facts): AppliedDefaults {
    const request = requestAbout(object, 'CREATE', object.metadata.namespace);
    const set = this.setFor(request.namespace);
    if (isAllWritten(set.defaulted, object)) return NO_DEFAULTS_APPLIED;
    const defaults = set.defaults.filter(({ policy }) => matches(policy, request));
    const view = { object, parsed: parseAnnotations(object.metadata.annotations) };
    const names = { cluster: facts.cluster()?.clusterId ?? '', namespace: request.namespace, name: request.name };
    return defaultsFor(view, defaults, facts, names);
  }

  /** Returns the policies that select a namespace. */
  setFor(namespace: string): PolicySet {
    const known = this.#byNamespace.get(namespace);
    if (known !== undefined) return known;
    const labelled = this.labelled(namespace);
    const set = this.#setWith(
      this.policies.flatMap((policy) => {
        const isSelected = policy.namespaces === undefined || policy.namespaces(labelled);
        return isSelected === false ? [] : [{ policy, isSure: isSelected === true }];
      }),
    );
    // A result for unknown labels is not cached.
    if (labelled.isComplete) this.#byNamespace.set(namespace, set);
    return set;
  }

  /** Returns the labels of a namespace. If the labels are unknown, returns only the label with the namespace's name, marked as incomplete. */
  labelled(namespace: string): Labelled {
    if (namespace === '') return NOWHERE;
    const labels = this.#options.labelsOf(namespace);
    return labels === undefined
      ? { labels: { [NAME_LABEL]: namespace }, isComplete: false }
      : { labels, isComplete: true };
  }

  /** Returns the usage that a quota counts for a namespace. The controller counts admitted usage, and the webhook requested usage. */
  usageFor(quota: CompiledQuota, namespace: string): Usage {
    return (this.#admitted ?? this.#requested)?.usageFor(quota, namespace) ?? NO_USAGE;
  }

  /** Returns the policies for a request. Only policies without selectors apply to a Node, because a Node has no namespace. */
  #setOf({ kind, namespace }: PolicyRequest): PolicySet {
    if (kind === 'Service') return this.setFor(namespace);
    return this.#setWith(
      this.policies
        .filter(({ namespaces, services }) => namespaces === undefined && services === undefined)
        .map((policy) => ({ policy, isSure: true })),
    );
  }

  #setWith(members: readonly Member[]): PolicySet {
    const key = members.map(({ policy, isSure }) => `${isSure ? '' : '?'}${policy.name}`).join(' ');
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const set = new PolicySet(members);
    this.#sets.set(key, set);
    return set;
  }

  #createQuotaCounter(source: UsageSource): QuotaCounter {
    const quotaCounter = new QuotaCounter(source, (namespace) => this.setFor(namespace));
    this.#quotaCounters.push(quotaCounter);
    return quotaCounter;
  }

  #recount(): void {
    for (const quotaCounter of this.#quotaCounters) quotaCounter.forget();
  }

  #forget(): void {
    this.#sorted = undefined;
    this.#operations = undefined;
    this.#byNamespace.clear();
    this.#sets.clear();
    this.#recount();
  }
}
