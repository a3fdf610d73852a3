import { readinessOf } from '../../node/kind.ts';
import { removalCap, type RemovalEvidence, type Sighting } from '../../node/removal.ts';
import type { Node, ObjectMeta } from '../../base/objects.ts';
import { FailedSearches } from './failed-searches.ts';

type Version = Pick<ObjectMeta, 'name' | 'resourceVersion'>;

/** The knowledge of one process about Nodes. After a restart all evidence is collected again. */
export class NodeMemory {
  readonly failedSearches = new FailedSearches();
  /** The names of Nodes that lost the taint `uninitialized`. */
  readonly #letIn = new Set<string>();
  /** The time of the first failure in a row, by name. */
  readonly #failing = new Map<string, number>();
  /** The period in which a Node is not ready, by name. `since` identifies the period. */
  readonly #silences = new Map<string, Sighting & { readonly since: string }>();
  readonly #absences = new Map<string, Sighting>();
  /** The resource version of this process's last write in this pass, by name. */
  readonly #written = new Map<string, string>();
  /** The UIDs of the Nodes that this pass deletes. */
  readonly #deletions = new Set<string>();
  /** The name of the Node for which an instance was found, by instance. */
  readonly #claims = new Map<string, string>();
  /** The interface that is known to forward packets of pods, by name. */
  readonly #open = new Map<string, string>();

  /** Records that the Node lost the taint that keeps pods away from uninitialised Nodes. */
  letIn(name: string): void {
    this.#letIn.add(name);
  }

  /** Returns whether the Node lost the taint since the last call. */
  takeLetIn(name: string): boolean {
    return this.#letIn.delete(name);
  }

  /** Records a failed reconcile. Returns the milliseconds since the first failure in a row. */
  failed(name: string, nowMs: number): number {
    const firstMs = this.#failing.get(name) ?? nowMs;
    this.#failing.set(name, firstMs);
    return nowMs - firstMs;
  }

  succeeded(name: string): void {
    this.#failing.delete(name);
  }

  /** Records whether the Node is ready. */
  saw(node: Node, nowMs: number): void {
    const { name, uid } = node.metadata;
    const { status, since } = readinessOf(node);
    const known = this.#silences.get(name);
    if (status === 'True') this.#silences.delete(name);
    else if (known?.uid !== uid || known.since !== since) this.#silences.set(name, { uid, firstMs: nowMs, since });
  }

  /** Records an answer of the cloud without the Node's instance. Returns the evidence, including this answer. */
  absent({ metadata: { name, uid } }: Node, nowMs: number): RemovalEvidence {
    const known = this.#absences.get(name);
    const absence = known?.uid === uid ? known : { uid, firstMs: nowMs };
    this.#absences.set(name, absence);
    return { notReady: this.#silences.get(name), absence };
  }

  /** Records that the instance exists, and drops the evidence of its absence. */
  present(name: string): void {
    this.#absences.delete(name);
  }

  /** Forgets a deleted Node. */
  forget(name: string): void {
    this.disclaim(name);
    this.failedSearches.forget(name);
    this.#open.delete(name);
    this.#silences.delete(name);
    this.succeeded(name);
    this.takeLetIn(name);
    this.present(name);
    this.unfinished(name);
  }

  wrote({ name, resourceVersion }: Version): void {
    this.#written.set(name, resourceVersion);
  }

  /** Returns whether the Node is unchanged since this process's last write. */
  isOwnWrite({ name, resourceVersion }: Version): boolean {
    return this.#written.get(name) === resourceVersion;
  }

  /** Records an unfinished reconcile, so that the next one does not skip the Node after an own write. */
  unfinished(name: string): void {
    this.#written.delete(name);
  }

  opened(name: string, interfaceId: string): void {
    this.#open.set(name, interfaceId);
  }

  isOpen(name: string, interfaceId: string): boolean {
    return this.#open.get(name) === interfaceId;
  }

  /** Claims an instance for a Node without a provider ID. Returns the Node that has the instance, because two similar Nodes must not share it. */
  claim(instanceId: string, name: string): string {
    const owner = this.#claims.get(instanceId) ?? name;
    this.#claims.set(instanceId, owner);
    return owner;
  }

  /** Returns whether any of these instances is claimed. */
  hasClaimed(instanceIds: ReadonlySet<string>): boolean {
    return [...this.#claims.keys()].some((id) => instanceIds.has(id));
  }

  /** Releases the instance of a Node, because the Node names an instance itself or has another one. */
  disclaim(name: string): void {
    for (const [instanceId, owner] of this.#claims) if (owner === name) this.#claims.delete(instanceId);
  }

  /** Returns whether this pass may delete one more Node of so many. Counts the deletion even if it fails. */
  takeDeletion(uid: string, nodes: number): boolean {
    if (!this.#deletions.has(uid) && this.#deletions.size >= removalCap(nodes)) return false;
    this.#deletions.add(uid);
    return true;
  }

  /** Starts a pass, in which every Node is reconciled. */
  begin(nowMs: number): void {
    this.failedSearches.begin(nowMs);
    this.#deletions.clear();
    this.#written.clear();
  }
}
