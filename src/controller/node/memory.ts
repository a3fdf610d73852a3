import { readinessOf } from '../../node/kind.ts';
import { removalCap, type Evidence, type Sighting } from '../../node/removal.ts';
import type { Node, ObjectMeta } from '../../base/objects.ts';
import { FailedSearches } from './failed-searches.ts';

type Version = Pick<ObjectMeta, 'name' | 'resourceVersion'>;

/** What one process knows of Nodes. A restart forgets it, and then all is proven anew. */
export class NodeMemory {
  readonly vainSearches = new FailedSearches();
  /** Names. */
  readonly #letIn = new Set<string>();
  /** Name → when the first of its turns in a row failed. */
  readonly #failing = new Map<string, number>();
  /** By name, with what tells this time of silence from another. */
  readonly #silences = new Map<string, Sighting & { readonly since: string }>();
  readonly #absences = new Map<string, Sighting>();
  /** Name → the version that our last write in this pass has made of it. */
  readonly #written = new Map<string, string>();
  /** By UID. */
  readonly #deletions = new Set<string>();
  /** Instance → the name of the Node that it was found for. */
  readonly #claims = new Map<string, string>();
  /** Name → the interface of the Node that is known to carry packets of pods. */
  readonly #open = new Map<string, string>();

  /** The Node lost the taint that keeps pods from one which nobody has looked after. */
  letIn(name: string): void {
    this.#letIn.add(name);
  }

  /** Whether that has happened since this was last asked. */
  takeLetIn(name: string): boolean {
    return this.#letIn.delete(name);
  }

  /** A turn of the Node failed; answers for how many milliseconds none has succeeded. */
  failed(name: string, nowMs: number): number {
    const firstMs = this.#failing.get(name) ?? nowMs;
    this.#failing.set(name, firstMs);
    return nowMs - firstMs;
  }

  succeeded(name: string): void {
    this.#failing.delete(name);
  }

  /** A Node was seen as it is; of one that is not ready it is known from then on. */
  saw(node: Node, nowMs: number): void {
    const { name, uid } = node.metadata;
    const { status, since } = readinessOf(node);
    const known = this.#silences.get(name);
    if (status === 'True') this.#silences.delete(name);
    else if (known?.uid !== uid || known.since !== since) this.#silences.set(name, { uid, firstMs: nowMs, since });
  }

  /** The cloud has answered without the Node's instance; answers what speaks for the Node's end, this one included. */
  absent({ metadata: { name, uid } }: Node, nowMs: number): Evidence {
    const known = this.#absences.get(name);
    const absence = known?.uid === uid ? known : { uid, firstMs: nowMs };
    this.#absences.set(name, absence);
    return { silence: this.#silences.get(name), absence };
  }

  /** The cloud has the instance: what spoke for its absence speaks no more. */
  present(name: string): void {
    this.#absences.delete(name);
  }

  /** The Node is gone, and with it all that was known of it. */
  forget(name: string): void {
    this.disclaim(name);
    this.vainSearches.forget(name);
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

  /** Whether the Node is as our last write has left it. */
  isOwnWrite({ name, resourceVersion }: Version): boolean {
    return this.#written.get(name) === resourceVersion;
  }

  /** A turn did not come to its end: the next one has to look, whoever wrote last. */
  unfinished(name: string): void {
    this.#written.delete(name);
  }

  opened(name: string, interfaceId: string): void {
    this.#open.set(name, interfaceId);
  }

  isOpen(name: string, interfaceId: string): boolean {
    return this.#open.get(name) === interfaceId;
  }

  /** Takes an instance for a Node that does not say which it is; answers whose it is. Two that look alike must not both get it. */
  claim(instanceId: string, name: string): string {
    const owner = this.#claims.get(instanceId) ?? name;
    this.#claims.set(instanceId, owner);
    return owner;
  }

  /** Whether any of these instances was taken for a Node. */
  hasClaimed(instanceIds: ReadonlySet<string>): boolean {
    return [...this.#claims.keys()].some((id) => instanceIds.has(id));
  }

  /** The Node says itself which instance it is, or is none that was taken for it. */
  disclaim(name: string): void {
    for (const [instanceId, owner] of this.#claims) if (owner === name) this.#claims.delete(instanceId);
  }

  /** Whether one more of so many Nodes may be deleted in this pass; if so it is counted, whatever comes of it. */
  takeDeletion(uid: string, nodes: number): boolean {
    if (!this.#deletions.has(uid) && this.#deletions.size >= removalCap(nodes)) return false;
    this.#deletions.add(uid);
    return true;
  }

  /** A new pass begins, in which every Node is looked at. */
  begin(nowMs: number): void {
    this.vainSearches.begin(nowMs);
    this.#deletions.clear();
    this.#written.clear();
  }
}
