import type { Clock } from '../../../clock.ts';
import { namespaceOf, type ObjectKey } from '../../../objects.ts';

/** Milliseconds after which those that could not be looked at hold up others no longer. */
const LONGEST_MS = 10 * 60_000;

/**
 * Services that were served before this process began, until it has looked at each of them: what one says may be less than what it has. Who
 * asks for more meanwhile waits, but not for ever.
 */
export class NotYetSeen {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #untilMs: number;
  readonly #byNamespace: Map<string, Set<ObjectKey>>;
  readonly #onEnd: ((namespace: string) => void)[] = [];

  constructor(keys: Iterable<ObjectKey>, clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#untilMs = clock.monotonic() + LONGEST_MS;
    const grouped = Map.groupBy(keys, namespaceOf);
    this.#byNamespace = new Map([...grouped].map(([namespace, all]) => [namespace, new Set(all)]));
  }

  /** Whether there are others than this one in the namespaces that it asks about. */
  has(butFor: ObjectKey, isConcerned: (namespace: string) => boolean): boolean {
    if (!this.#isOpen()) return false;
    return this.#byNamespace.entries().some(([namespace, keys]) => {
      const others = keys.has(butFor) ? keys.size - 1 : keys.size;
      return others > 0 && isConcerned(namespace);
    });
  }

  /** Whether this one holds up others. */
  isWaitedFor(key: ObjectKey): boolean {
    return this.#isOpen() && this.#byNamespace.get(namespaceOf(key))?.has(key) === true;
  }

  clear(): void {
    for (const key of [...this.#byNamespace.values()].flatMap((keys) => [...keys])) this.delete(key);
  }

  delete(key: ObjectKey): void {
    const namespace = namespaceOf(key);
    const keys = this.#byNamespace.get(namespace);
    if (keys?.delete(key) !== true || keys.size > 0) return;
    this.#byNamespace.delete(namespace);
    for (const handler of this.#onEnd) handler(namespace);
  }

  /** Called when none is left in a namespace. */
  onEnd(handler: (namespace: string) => void): void {
    this.#onEnd.push(handler);
  }

  #isOpen(): boolean {
    return this.#byNamespace.size > 0 && this.#clock.monotonic() < this.#untilMs;
  }
}
