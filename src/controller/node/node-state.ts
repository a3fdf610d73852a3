import { readinessOf } from '../../node/kind.ts';
import { removalCap, type RemovalEvidence, type Sighting } from '../../node/removal.ts';
import type { Node, ObjectMeta } from '../../base/kubernetes-objects.ts';
import { FailedSearches } from './failed-searches.ts';

type Version = Pick<ObjectMeta, 'name' | 'resourceVersion'>;

/** The state of Nodes between reconciles, such as the evidence for deletions. A restart of the process empties the state. */
export class NodeStateCache {
  readonly failedSearches = new FailedSearches();
  /** The names of Nodes whose taint `uninitialized` was removed. */
  readonly #initialized = new Set<string>();
  /** The time of the first of the consecutive failures, by name of the Node. */
  readonly #failing = new Map<string, number>();
  /** The Nodes that are not ready, by name, with the time of the first observation. `since` is the transition time of the Ready condition. */
  readonly #notReady = new Map<string, Sighting & { readonly since: string }>();
  /** The Nodes whose instance a cloud call did not return, by name, with the time of the first such call. */
  readonly #absences = new Map<string, Sighting>();
  /** The resource version of the last write by this process in the present pass, by name of the Node. */
  readonly #written = new Map<string, string>();
  /** The UIDs of the Nodes that are deleted in the present pass. */
  readonly #deletions = new Set<string>();
  /** The name of the Node to which an instance was assigned, by instance. */
  readonly #claims = new Map<string, string>();
  /** The network interface whose source and destination check is known to be off, by name of the Node. */
  readonly #checkOff = new Map<string, string>();

  /** Records that the taint `uninitialized` was removed, so that pods can run on the Node. */
  recordInitialized(name: string): void {
    this.#initialized.add(name);
  }

  /** Returns whether the taint was removed since the last call. */
  takeInitialized(name: string): boolean {
    return this.#initialized.delete(name);
  }

  /** Records a failed reconcile. Returns the milliseconds since the first of the consecutive failures. */
  recordFailure(name: string, nowMs: number): number {
    const firstMs = this.#failing.get(name) ?? nowMs;
    this.#failing.set(name, firstMs);
    return nowMs - firstMs;
  }

  /** Records a successful reconcile, which ends the consecutive failures. */
  recordSuccess(name: string): void {
    this.#failing.delete(name);
  }

  recordReadiness(node: Node, nowMs: number): void {
    const { name, uid } = node.metadata;
    const { status, since } = readinessOf(node);
    const known = this.#notReady.get(name);
    if (status === 'True') this.#notReady.delete(name);
    else if (known?.uid !== uid || known.since !== since) this.#notReady.set(name, { uid, firstMs: nowMs, since });
  }

  /** Records that a cloud call did not return the Node's instance. Returns the evidence for a deletion. */
  recordAbsence({ metadata: { name, uid } }: Node, nowMs: number): RemovalEvidence {
    const known = this.#absences.get(name);
    const absence = known?.uid === uid ? known : { uid, firstMs: nowMs };
    this.#absences.set(name, absence);
    return { notReady: this.#notReady.get(name), absence };
  }

  /** Records that the instance exists. Drops the evidence of its absence. */
  recordExistence(name: string): void {
    this.#absences.delete(name);
  }

  /** Forgets a deleted Node. */
  forget(name: string): void {
    this.disclaim(name);
    this.failedSearches.forget(name);
    this.#checkOff.delete(name);
    this.#notReady.delete(name);
    this.recordSuccess(name);
    this.takeInitialized(name);
    this.recordExistence(name);
    this.recordUnfinished(name);
  }

  recordWrite({ name, resourceVersion }: Version): void {
    this.#written.set(name, resourceVersion);
  }

  /** Returns whether the Node still has the version that `recordWrite` stored. If so, its reconcile is skipped until the next pass. */
  isOwnWrite({ name, resourceVersion }: Version): boolean {
    return this.#written.get(name) === resourceVersion;
  }

  /** Forgets the last own write after a failed reconcile, so that the next reconcile is not skipped. */
  recordUnfinished(name: string): void {
    this.#written.delete(name);
  }

  /** Records that the source and destination check of an interface is off. */
  recordCheckDisabled(name: string, interfaceId: string): void {
    this.#checkOff.set(name, interfaceId);
  }

  isCheckOff(name: string, interfaceId: string): boolean {
    return this.#checkOff.get(name) === interfaceId;
  }

  /** Claims an instance, so that two similar Nodes never share an instance. Returns the name of the Node that owns the claim. */
  claim(instanceId: string, name: string): string {
    const owner = this.#claims.get(instanceId) ?? name;
    this.#claims.set(instanceId, owner);
    return owner;
  }

  hasClaimed(instanceIds: ReadonlySet<string>): boolean {
    return [...this.#claims.keys()].some((id) => instanceIds.has(id));
  }

  /** Releases the instance that a Node claimed, so that another Node can claim it. */
  disclaim(name: string): void {
    for (const [instanceId, owner] of this.#claims) if (owner === name) this.#claims.delete(instanceId);
  }

  /** Returns whether the present pass may delete one more of `nodes` Nodes. Counts the deletion even if the deletion fails. */
  takeDeletion(uid: string, nodes: number): boolean {
    if (!this.#deletions.has(uid) && this.#deletions.size >= removalCap(nodes)) return false;
    this.#deletions.add(uid);
    return true;
  }

  /** Starts a pass over all Nodes. Forgets the own writes, so that the pass skips no Node. */
  begin(nowMs: number): void {
    this.failedSearches.begin(nowMs);
    this.#deletions.clear();
    this.#written.clear();
  }
}
