import type { KubernetesWriter } from '../../../src/controller/port.ts';
import type { Cache } from '../../../src/kubernetes/store.ts';
import { keyOf, type Node, type ObjectKey } from '../../../src/base/objects.ts';
import type { Watched } from '../../../src/base/store.ts';
import type { ObjectWatcher } from '../kubernetes-double.ts';
import { NodeView } from './watched-view.ts';

/** A write of the controller that the API server has accepted. */
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

/** What the controllers of one scenario see of the API server, and write to it. */
export class NodeApi {
  readonly writes: AcceptedWrite[] = [];
  /** The versions of every Node since it was registered, as they were watched. */
  readonly versions = new Map<ObjectKey, Node[]>();
  readonly #parts: NodeApiParts;
  readonly #view: NodeView;
  /** Of Nodes that are written to right now, how often. */
  readonly #writing = new Map<ObjectKey, number>();
  /** Versions, and the UIDs of deleted Nodes, that are the controllers' doing. */
  readonly #own = new Set<string>();
  /** What they have done and do not see yet: the versions, and the UIDs of what they have deleted. */
  readonly #versionsToCome = new Map<ObjectKey, bigint>();
  readonly #endsToCome = new Map<ObjectKey, string>();

  constructor(parts: NodeApiParts) {
    this.#parts = parts;
    this.#view = new NodeView(parts.nodes, {
      isMine: parts.isMine,
      isHeld: (key) => this.#writing.has(key),
      told: ({ before, after }) => this.#stored(before, after),
    });
  }

  /** The Nodes, as a process sees them that runs. */
  get nodes(): Cache<Node> {
    return this.#view.cache;
  }

  /** The Nodes, as a process sees them that begins now. */
  anew(): Cache<Node> {
    return this.#view.anew();
  }

  /** Whether nothing is under way, and the controllers see all that they have written. */
  get isQuiet(): boolean {
    return this.#writing.size === 0 && !this.#view.isBehind && this.#isHeard();
  }

  /** The hand of a process that is cut off once it is dead. */
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

  /** What happens to a Node meanwhile is held back, until it is known which of it is the write's. */
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
