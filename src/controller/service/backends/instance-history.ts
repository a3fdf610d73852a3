import { parseProviderId } from '../../../node/provider-id.ts';
import type { Node } from '../../../objects.ts';
import type { Watched } from '../../../store.ts';

/** Names that are kept at most, so that deleted Nodes do not fill the memory. */
const MOST_NAMES = 1_000;

const namesInstance = ({ spec }: Node): boolean => parseProviderId(spec?.providerID ?? '') !== undefined;

/** Returns a function that reports whether a Node of a name has lost its instance since this process started. */
export function instanceHistory(nodes: Watched<Node>): (name: string) => boolean {
  const lost = new Set<string>();
  nodes.onChange(({ before, after }) => {
    const name = (before ?? after)?.metadata.name;
    if (name === undefined) return;
    if (after !== undefined && namesInstance(after)) lost.delete(name);
    else if (before !== undefined && namesInstance(before)) lost.add(name);
    const [oldest] = lost;
    if (lost.size > MOST_NAMES && oldest !== undefined) lost.delete(oldest);
  });
  return (name) => lost.has(name);
}
