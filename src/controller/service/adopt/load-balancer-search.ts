import { buildAbsent, ownerOf } from '../../../clb/desired/build.ts';
import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import type { LoadBalancer } from '../../../clb/model/load-balancer.ts';
import { OWN } from '../../../clb/model/load-balancer-ref.ts';
import {
  EMPTY_CACHE,
  observe,
  withLoadBalancer,
  type LookupHints,
  type ObservedCache,
} from '../../../clb/observe/observe.ts';
import { hasClusterTagOnly } from '../../../clb/model/naming.ts';
import { ownershipOf, type Ownership } from '../../../clb/model/ownership.ts';
import type { ClbApi } from '../../../clb/model/clb-api.ts';
import { hasResources, looksUntagged } from '../../../clb/observe/service-resources.ts';
import type { ClusterSettings } from '../../../clb/model/cluster-settings.ts';
import type { Absent, Use } from '../../../clb/model/desired-and-observed-state.ts';
import { withAddress } from '../../../inventory/load-balancers-by-owner.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import type { CallContext, CallLane } from '../../../plan/call-context.ts';
import type { KubernetesCaches } from '../../kubernetes-interface.ts';
import type { ServiceState } from '../state/service-state.ts';
import { boundIn, isRecordedAsOwned, type BindingRecord } from '../state/binding-record.ts';

/** The part of a reconcile's context that the search needs. */
export interface BindingContext {
  readonly entry: Pick<ServiceState, 'bound' | 'knowledge' | 'record' | 'pendingOperations'>;
  readonly lane: CallLane;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

export interface BindingDeps {
  readonly clb: ClbApi;
  readonly caches: Pick<KubernetesCaches, 'classicLoadBalancers'>;
  readonly settings: Pick<ClusterSettings, 'clusterId' | 'vpcId'>;
  readonly protectedIds: ReadonlySet<string>;
}

/** Returns the load balancer that has a published address in the inventory, which can be outdated. */
export function idByAddress(
  addresses: readonly string[],
  { classicLoadBalancers }: BindingDeps['caches'],
): LoadBalancerId | undefined {
  const [found] = addresses.flatMap((address) => withAddress(classicLoadBalancers, address));
  return found?.metadata.name as LoadBalancerId | undefined;
}

/** A search for the load balancer that serves one Service. Reads each load balancer at most once. */
export class LoadBalancerSearch {
  readonly #service: Service;
  readonly #hints: LookupHints;
  readonly #bindingContext: BindingContext;
  readonly #deps: BindingDeps;
  readonly #read = new Map<LoadBalancerId, LoadBalancer | undefined>();

  constructor(service: Service, hints: LookupHints, bindingContext: BindingContext, deps: BindingDeps) {
    this.#service = service;
    this.#hints = hints;
    this.#bindingContext = bindingContext;
    this.#deps = deps;
    const { observed, invalidated } = bindingContext.entry.knowledge;
    if (observed.loadBalancer !== undefined && !invalidated.has('load-balancer'))
      this.#read.set(observed.loadBalancer.id, observed.loadBalancer);
  }

  async read(id: LoadBalancerId): Promise<LoadBalancer | undefined> {
    if (!this.#read.has(id)) this.#read.set(id, await this.#deps.clb.read(id, this.#context()));
    return this.#read.get(id);
  }

  /** Caches the result of a read in the state of the Service; undefined means that the load balancer does not exist. */
  remember(loadBalancer: LoadBalancer | undefined): void {
    const { entry } = this.#bindingContext;
    const isSame = entry.knowledge.observed.loadBalancer?.id === loadBalancer?.id;
    entry.knowledge = withLoadBalancer(isSame ? entry.knowledge : EMPTY_CACHE, loadBalancer);
  }

  /** Finds the owned load balancer of the Service: by its owner tag, or by its default name and the published address. */
  async own(): Promise<LoadBalancer | undefined> {
    const { entry } = this.#bindingContext;
    const { recordedId, ...hints } = this.#hints;
    const id = (entry.bound === OWN ? entry.knowledge.observed.loadBalancer?.id : undefined) ?? recordedId;
    const recorded = id === undefined ? undefined : await this.read(id);
    if (recorded !== undefined && ownershipOf(this.#service.metadata, recorded, hints) === 'owned') return recorded;
    const { observed } = await this.#observe({ kind: 'owned' }, EMPTY_CACHE, hints);
    const hidden = recorded !== undefined && this.isOwn(recorded) ? recorded : undefined;
    return observed.loadBalancer ?? hidden;
  }

  /** Returns whether a load balancer has listeners, groups or backends of the Service. Caches the contents that were read. */
  async hasResources(loadBalancer: LoadBalancer): Promise<boolean> {
    const { entry } = this.#bindingContext;
    entry.knowledge = await this.#contentsOf(loadBalancer);
    return hasResources(ownerOf(this.#service, this.#deps.settings), entry.knowledge.observed);
  }

  /** Returns whether a load balancer was created for the Service and has lost its owner tag. */
  async #hasLostOwnerTag(loadBalancer: LoadBalancer): Promise<boolean> {
    const owner = ownerOf(this.#service, this.#deps.settings);
    const { isAddressHidden, published, recordedId } = this.#hints;
    // If the status shows no address, the record must name the load balancer.
    const isNamed = recordedId === loadBalancer.id && (isAddressHidden === true || published.length === 0);
    const isShown = isNamed || this.hasPublished(loadBalancer);
    if (!isShown || !hasClusterTagOnly(owner, loadBalancer.tags)) return false;
    const contents = await this.#contentsOf(loadBalancer);
    // All listeners and groups must belong to the Service.
    if (!looksUntagged(owner, contents.observed) || !hasResources(owner, contents.observed)) return false;
    this.#bindingContext.entry.knowledge = contents;
    return true;
  }

  isOwn(loadBalancer: LoadBalancer): boolean {
    return this.#ownershipOf(loadBalancer) === 'owned';
  }

  /** Finds the load balancer that has a published address in this VPC, and that may serve the Service without its owner tag. */
  async byAddress(): Promise<LoadBalancer | undefined> {
    const { published, recordedId } = this.#hints;
    for (const id of [recordedId, idByAddress(published, this.#deps.caches)]) {
      const found = id === undefined ? undefined : await this.read(id);
      if (found !== undefined && this.hasPublished(found) && (await this.mayServe(found))) return found;
    }
    for (const address of published) {
      const found = await this.#deps.clb.findByAddress(address, this.#context());
      for (const each of found) if (this.hasPublished(each) && (await this.mayServe(each))) return this.read(each.id);
    }
    return undefined;
  }

  /** Returns whether a load balancer without the owner tag of the Service may serve the Service. */
  async mayServe(loadBalancer: LoadBalancer): Promise<boolean> {
    if (this.#deps.protectedIds.has(loadBalancer.id)) return false;
    const isUsable = ['userManaged', 'unproven'].includes(this.#ownershipOf(loadBalancer));
    return isUsable || this.#hasLostOwnerTag(loadBalancer);
  }

  /** Returns the record with the ownership that the cloud proves; undefined if the record stays. */
  async correctedRecord(loadBalancer: LoadBalancer): Promise<BindingRecord | undefined> {
    const { record } = this.#bindingContext.entry;
    const { id, address } = loadBalancer;
    const ownership = this.#ownershipOf(loadBalancer);
    // A user may have edited the binding.
    if (ownership === 'userManaged' && isRecordedAsOwned(record, id))
      return { ...record, loadBalancer: { id, use: 'reused', address } };
    const isKnown = boundIn(record) === id || ownership !== 'foreign';
    if (isKnown || !(await this.mayServe(loadBalancer))) return undefined;
    // The load balancer has lost its owner tag and its binding.
    return { ...record, loadBalancer: { id, use: 'owned', address } };
  }

  /** Returns whether the load balancer has a published address in this VPC. Other VPCs can have the same private address. */
  hasPublished({ address, addressType, vpcId }: LoadBalancer): boolean {
    const { vpcId: own } = this.#deps.settings;
    const isInVpc = addressType === 'internet' || own === '' || (vpcId ?? own) === own;
    return this.#hints.published.includes(address) && isInVpc;
  }

  #contentsOf(loadBalancer: LoadBalancer): Promise<ObservedCache> {
    const { knowledge } = this.#bindingContext.entry;
    const isSame = knowledge.observed.loadBalancer?.id === loadBalancer.id;
    const use = { kind: 'reused', id: loadBalancer.id, overrideListeners: true } as const;
    return this.#observe(use, withLoadBalancer(isSame ? knowledge : EMPTY_CACHE, loadBalancer), this.#hints);
  }

  #ownershipOf(loadBalancer: LoadBalancer): Ownership {
    return ownershipOf(this.#service.metadata, loadBalancer, this.#hints);
  }

  #observe(use: Use, known: ObservedCache, hints: LookupHints): Promise<ObservedCache> {
    const desired: Absent = { ...buildAbsent(ownerOf(this.#service, this.#deps.settings), {}), use };
    return observe(desired, known, {
      hints,
      api: this.#deps.clb,
      context: this.#context(),
      onObserved: () => undefined,
    });
  }

  #context(): CallContext {
    const { signal, lane, namespace } = this.#bindingContext;
    return { signal, lane, namespace };
  }
}
