import type { KubernetesWriter } from '../../../src/controller/kubernetes-interface.ts';
import type { Cache } from '../../../src/kubernetes/cache.ts';
import { keyOf, type Node, type ObjectKey } from '../../../src/base/kubernetes-objects.ts';
import type { Watched } from '../../../src/base/cache-interfaces.ts';
import type { ObjectWatcher } from '../kubernetes-double.ts';
import { NodeView } from './node-view.ts';

/** A write of the controller that the API server accepted. */
export interface AcceptedWrite {
  readonly verb: 'patch' | 'delete';
  readonly key: ObjectKey;
  readonly subresource: string;
  readonly patch: object;
}

export interface NodeApiParts {
  /** All Nodes of the cluster. */
  readonly nodes: Watched<Node>;
  readonly isMine: (name: string) => boolean;
  readonly writer: KubernetesWriter;
  readonly watcher: Pick<ObjectWatcher, 'stored'>;
}

export const forever = (): Promise<never> => new Promise(() => undefined);

/** The shared API server as one scenario uses it: the controllers of a scenario see only its own Nodes. */
export class NodeApi {
  readonly writes: AcceptedWrite[] = [];
  /** Observed versions of every Node since its registration. */
  readonly versions = new Map<ObjectKey, Node[]>();
  readonly #parts: NodeApiParts;
  readonly #view: NodeView;
  /** The number of writes in progress, by Node. */
  readonly #writing = new Map<ObjectKey, number>();
  /** The versions that the controllers wrote, and UIDs of Nodes that they deleted. */
  readonly #own = new Set<string>();
  /** Written versions, and UIDs of deleted Nodes, that the controllers have not observed yet. */
  readonly #versionsToCome = new Map<ObjectKey, bigint>();
  readonly #endsToCome = new Map<ObjectKey, string>();

  constructor(parts: NodeApiParts) {
    this.#parts = parts;
    this.#view = new NodeView(parts.nodes, {
      isMine: parts.isMine,
      isPaused: (key) => this.#writing.has(key),
      onChange: ({ before, after }) => this.#stored(before, after),
    });
  }

  /** Nodes as a running process observes them. */
  get nodes(): Cache<Node> {
    return this.#view.cache;
  }

  /** Returns the Nodes as a new process observes them. */
  anew(): Cache<Node> {
    return this.#view.anew();
  }

  /** True if no write is in progress, and the controllers have observed all of their writes. */
  get isQuiet(): boolean {
    return this.#writing.size === 0 && !this.#view.isBehind && this.#isHeard();
  }

  /** Returns the writer of a process. A dead process can no longer write. */
  writer(isDead: () => boolean): KubernetesWriter {
    const { writer } = this.#parts;
    return {
      get: (resource, key, signal) => this.#during(key, isDead, () => writer.get(resource, key, signal)),
      create: (resource, object, signal) => writer.create(resource, object, signal),
      mergePatch: (resource, key, patch, options, signal) =>
        this.#during(key, isDead, async () => {
          const after = await writer.mergePatch(resource, key, patch, options, signal);
          this.#own.add(after.metadata.resourceVersion);
          this.#versionsToCome.set(key, BigInt(after.metadata.resourceVersion));
          this.writes.push({ verb: 'patch', key, subresource: options.subresource ?? '', patch });
          return after;
        }),
      delete: (resource, key, precondition, signal) =>
        this.#during(key, isDead, async () => {
          await writer.delete(resource, key, precondition, signal);
          this.#own.add(precondition.uid ?? '');
          this.#endsToCome.set(key, precondition.uid ?? '');
          this.writes.push({ verb: 'delete', key, subresource: '', patch: {} });
        }),
    };
  }

  /** Delays events of a Node during a write, until the written version is known. */
  async #during<Value>(key: ObjectKey, isDead: () => boolean, act: () => Promise<Value>): Promise<Value> {
    if (isDead()) await forever();
    this.#writing.set(key, (this.#writing.get(key) ?? 0) + 1);
    try {
      return await act();
    } finally {
      const others = (this.#writing.get(key) ?? 1) - 1;
      if (others === 0) this.#writing.delete(key);
      else this.#writing.set(key, others);
      this.#view.release();
      if (isDead()) await forever();
    }
  }

  #stored(before: Node | undefined, after: Node | undefined): void {
    const node = after ?? before;
    if (node === undefined) return;
    const key = keyOf(node);
    const isOwn = this.#own.has(after === undefined ? node.metadata.uid : after.metadata.resourceVersion);
    const objects = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
    this.#parts.watcher.stored({ by: isOwn ? 'controller' : 'others', plural: 'nodes', key, ...objects });
    if (after !== undefined) this.versions.set(key, [...(this.versions.get(key) ?? []), after]);
  }

  #isHeard(): boolean {
    for (const [key, version] of this.#versionsToCome) {
      const seen = this.nodes.get(key);
      if (seen !== undefined && BigInt(seen.metadata.resourceVersion) < version) return false;
      this.#versionsToCome.delete(key);
    }
    for (const [key, uid] of this.#endsToCome) {
      const seen = this.nodes.get(key)?.metadata;
      if (seen?.uid === uid && seen.deletionTimestamp === undefined) return false;
      this.#endsToCome.delete(key);
    }
    return true;
  }
}
