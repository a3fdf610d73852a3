import type { Node } from '../../../src/base/kubernetes-objects.ts';
import type { JournalEntry, Moment } from './moment.ts';

/** Milliseconds within which a process observes the deletion of a Node. */
const HEARD_MS = 5_000;
const RANGE = /(?:Dst|Destination)CidrBlock$/;

/** The pod ranges of Nodes at each point of a history, for the invariant NoOrphan. */
export class NodeRanges {
  readonly #ranges = new Map<string, readonly string[]>();
  /** The time at which the last Node with a range was deleted, in milliseconds since the epoch. */
  readonly #left = new Map<string, number>();

  /** Records a moment. */
  pass(moment: Moment): void {
    if (moment.kind !== 'stored' || moment.plural !== 'nodes') return;
    const { key, after, atMs } = moment;
    for (const range of this.#ranges.get(key) ?? []) this.#left.set(range, atMs);
    if (after === undefined) this.#ranges.delete(key);
    else this.#ranges.set(key, (after as Node).spec?.podCIDRs ?? []);
  }

  /** Returns the destinations of a route creation that belong to no Node, now or just before. */
  foreignRoutesIn({ parameters, time }: JournalEntry): readonly string[] {
    const nodeRanges = new Set([...this.#ranges.values()].flat());
    const justBefore = Date.parse(time) - HEARD_MS;
    return Object.entries(parameters)
      .filter(([name, range]) => RANGE.test(name) && !nodeRanges.has(range))
      .map(([, range]) => range)
      .filter((range) => (this.#left.get(range) ?? -Infinity) < justBefore);
  }
}
