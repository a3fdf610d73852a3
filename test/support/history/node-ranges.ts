import type { Node } from '../../../src/base/objects.ts';
import type { JournalEntry, Moment } from './moment.ts';

/** Milliseconds in which a process has heard that a Node is gone. */
const HEARD_MS = 5_000;
const RANGE = /(?:Dst|Destination)CidrBlock$/;

/** The ranges of Nodes, while a history is gone through. */
export class NodeRanges {
  readonly #held = new Map<string, readonly string[]>();
  /** When a range was last some Node's that has gone, in milliseconds since the epoch. */
  readonly #left = new Map<string, number>();

  /** Takes in what happened. */
  pass(moment: Moment): void {
    if (moment.kind !== 'stored' || moment.plural !== 'nodes') return;
    const { key, after, atMs } = moment;
    for (const range of this.#held.get(key) ?? []) this.#left.set(range, atMs);
    if (after === undefined) this.#held.delete(key);
    else this.#held.set(key, (after as Node).spec?.podCIDRs ?? []);
  }

  /** The destinations of a call that creates routes which are no Node's ranges, and were none just before. */
  strangersIn({ parameters, time }: JournalEntry): readonly string[] {
    const held = new Set([...this.#held.values()].flat());
    const justBefore = Date.parse(time) - HEARD_MS;
    return Object.entries(parameters)
      .filter(([name, range]) => RANGE.test(name) && !held.has(range))
      .map(([, range]) => range)
      .filter((range) => (this.#left.get(range) ?? -Infinity) < justBefore);
  }
}
