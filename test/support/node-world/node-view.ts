import { pino } from 'pino';
import { NODE_INDEX } from '../../../src/controller/kubernetes-interface.ts';
import { Cache } from '../../../src/kubernetes/cache.ts';
import { keyOf, type Node, type ObjectKey } from '../../../src/base/kubernetes-objects.ts';
import type { Change, Watched } from '../../../src/base/cache-interfaces.ts';

const emptyCache = (): Cache<Node> => new Cache(pino({ level: 'silent' }), NODE_INDEX);

/** The Nodes of one scenario, filtered from a cluster's cache, as one process observes them. Changes of a Node are delayed while `isPaused`. */
export class NodeView {
  readonly #isMine: (name: string) => boolean;
  readonly #onChange: (change: Change<Node>) => void;
  readonly #isPaused: (key: ObjectKey) => boolean;
  readonly #paused: Change<Node>[] = [];
  #cache = emptyCache();

  constructor(
    all: Watched<Node>,
    parts: {
      readonly isMine: (name: string) => boolean;
      /** Receives every change before the process. */
      readonly onChange: (change: Change<Node>) => void;
      readonly isPaused: (key: ObjectKey) => boolean;
    },
  ) {
    this.#isMine = parts.isMine;
    this.#onChange = parts.onChange;
    this.#isPaused = parts.isPaused;
    all.onChange((change) => this.#take(change));
  }

  get cache(): Cache<Node> {
    return this.#cache;
  }

  /** True if delayed changes exist. */
  get isBehind(): boolean {
    return this.#paused.length > 0;
  }

  /** Returns the view of a new process. */
  anew(): Cache<Node> {
    const nodes = [...this.#cache.values()];
    this.#cache = emptyCache();
    for (const node of nodes) this.#cache.put(node);
    this.#cache.markSynced();
    return this.#cache;
  }

  /** Delivers the delayed changes of Nodes that are no longer paused. */
  release(): void {
    for (const change of this.#paused.splice(0)) this.#take(change);
  }

  #take(change: Change<Node>): void {
    const node = change.after ?? change.before;
    if (node === undefined || !this.#isMine(node.metadata.name)) return;
    if (this.#isPaused(keyOf(node))) {
      this.#paused.push(change);
      return;
    }
    this.#onChange(change);
    if (change.after === undefined) this.#cache.remove(keyOf(node));
    else this.#cache.put(change.after);
  }
}
