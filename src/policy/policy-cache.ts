import { parseAnnotations } from '../annotation/parse.ts';
import type { Clock } from '../base/clock.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Service } from '../base/objects.ts';
import type { Watched } from '../base/store.ts';
import { EffectivePolicy } from './effective-policy.ts';
import { compilePolicy, matches, type Policy as Compiled, type Problem, type Quota } from './compile.ts';
import { defaultsFor, isAllWritten, NO_DEFAULTS_APPLIED, type AppliedDefaults } from './defaults.ts';
import { compileException, Exceptions, type Exception } from './exceptions.ts';
import { ENFORCE_ALL, WARN_ALL, requestAbout, type Policy, type Request } from './policy.ts';
import { PolicySet, type Member } from './policy-set.ts';
import type { LoadBalancerException, LoadBalancerPolicy, PolicyOperation } from './resource.ts';
import type { Labelled, Labels } from './selector.ts';
import { requestedUsage } from './requested-usage.ts';
import { QuotaCounter } from './quota-counter.ts';
import type { Tunable } from './tunable.ts';
import { NO_USAGE, type Usage } from './usage.ts';
import type { UsageSource } from './usage-source.ts';

export interface PolicyCacheOptions {
  readonly tunable: Tunable;
  /** The labels of a namespace; absent as long as they are not known. */
  readonly labelsOf: (namespace: string) => Labels | undefined;
  /** Quotas count what these request; quotas are not evaluated if absent. */
  readonly services?: Watched<Service>;
  readonly clock: Pick<Clock, 'now'>;
  readonly warnOnly: boolean;
}

/** The label that every namespace has. */
const NAME_LABEL = 'kubernetes.io/metadata.name';
const NOWHERE: Labelled = { labels: {}, isComplete: true };

/**
 * All policies and exceptions, compiled. A change compiles what has changed and nothing else; what follows from it for a namespace is
 * worked out when somebody asks. What `on` answers keeps to the policies of that moment, whatever changes meanwhile.
 */
export class PolicyCache implements Policy {
  readonly #options: PolicyCacheOptions;
  readonly #policies = new Map<string, Compiled>();
  readonly #exceptions = new Map<string, Exception>();
  readonly #filed = new Exceptions();
  readonly #problems = new Map<string, readonly Problem[]>();
  /** By name; absent after a change. */
  #sorted: readonly Compiled[] | undefined;
  #operations: readonly PolicyOperation[] | undefined;
  readonly #byNamespace = new Map<string, PolicySet>();
  /** Sets by their members. */
  readonly #sets = new Map<string, PolicySet>();
  readonly #tallies: QuotaCounter[] = [];
  readonly #requested: QuotaCounter | undefined;
  #admitted: QuotaCounter | undefined;

  constructor(options: PolicyCacheOptions) {
    this.#options = options;
    const { services } = options;
    this.#requested = services && this.#tallyOf(requestedUsage(services));
  }

  mode(): 'enforce' | 'warn' {
    return this.#options.warnOnly ? 'warn' : 'enforce';
  }

  /** By name. */
  get policies(): readonly Compiled[] {
    return (this.#sorted ??= [...this.#policies.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
  }

  /** The requests as which a stored object is to be looked at for every policy to have its say. */
  get operations(): readonly PolicyOperation[] {
    return (this.#operations ??= this.policies.some(({ operations }) => operations?.has('CREATE') === false)
      ? ['CREATE', 'UPDATE']
      : ['CREATE']);
  }

  policy(name: string): Compiled | undefined {
    return this.#policies.get(name);
  }

  /** Absent where it is not there, or cannot be read. */
  exception(name: string): Exception | undefined {
    return this.#exceptions.get(name);
  }

  get exceptions(): Iterable<Exception> {
    return this.#exceptions.values();
  }

  /** What is wrong with an exception; nothing while it is well, or not there. */
  problemsOfException(name: string): readonly Problem[] {
    return this.#problems.get(name) ?? [];
  }

  /** Answers what is wrong with it, if that is not known. One whose generation is known already, as after a change of its status, costs nothing. */
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

  /** Answers what is wrong with it. */
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

  /** To be told of every namespace that comes, goes, or has other labels. */
  namespaceChanged(name: string): void {
    this.#byNamespace.delete(name);
    this.#recount();
  }

  /** Returns these policies for the controller: quotas count `source`, and what may be forbidden is forbidden. */
  counting(source: UsageSource): Policy {
    const tally = (this.#admitted = this.#tallyOf(source));
    return { mode: () => this.mode(), on: (request) => this.#boundTo(request, tally, true) };
  }

  on(request: Request): Policy {
    return this.#boundTo(request, this.#requested);
  }

  #boundTo(request: Request, tally: QuotaCounter | undefined, isStrict = false): Policy {
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
      tally,
    });
  }

  /** What a Service that is being created is to be given. */
  fillingsFor(object: Service, facts: Facts): AppliedDefaults {
    const request = requestAbout(object, 'CREATE', object.metadata.namespace);
    const set = this.setFor(request.namespace);
    if (isAllWritten(set.defaulted, object)) return NO_DEFAULTS_APPLIED;
    const defaults = set.defaults.filter(({ policy }) => matches(policy, request));
    const view = { object, parsed: parseAnnotations(object.metadata.annotations) };
    const names = { cluster: facts.cluster()?.clusterId ?? '', namespace: request.namespace, name: request.name };
    return defaultsFor(view, defaults, facts, names);
  }

  /** The policies about a namespace. */
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
    // What is not known for sure is asked for again.
    if (labelled.isComplete) this.#byNamespace.set(namespace, set);
    return set;
  }

  labelled(namespace: string): Labelled {
    if (namespace === '') return NOWHERE;
    const labels = this.#options.labelsOf(namespace);
    return labels === undefined
      ? { labels: { [NAME_LABEL]: namespace }, isComplete: false }
      : { labels, isComplete: true };
  }

  /** Returns the usage that a quota counts for a namespace: admitted usage in the controller, else requested usage. */
  usageFor(quota: Quota, namespace: string): Usage {
    return (this.#admitted ?? this.#requested)?.usageFor(quota, namespace) ?? NO_USAGE;
  }

  /** A Node is in no namespace: only policies that select nothing are about it. */
  #setOf({ kind, namespace }: Request): PolicySet {
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

  #tallyOf(source: UsageSource): QuotaCounter {
    const tally = new QuotaCounter(source, (namespace) => this.setFor(namespace));
    this.#tallies.push(tally);
    return tally;
  }

  #recount(): void {
    for (const tally of this.#tallies) tally.forget();
  }

  #forget(): void {
    this.#sorted = undefined;
    this.#operations = undefined;
    this.#byNamespace.clear();
    this.#sets.clear();
    this.#recount();
  }
}
