import { parseProviderId } from '../../../node/provider-id.ts';
import type { Node } from '../../../objects.ts';
import type { Watched } from '../../../store.ts';

/** The most names of deleted Nodes that are kept. */
const MOST_DELETED = 1_000;

const namesInstance = ({ spec }: Node): boolean => parseProviderId(spec?.providerID ?? '') !== undefined;

/** Returns whether a Node of this name could be a backend before it lost its instance, as far as this process has seen. */
export function instanceHistory(nodes: Watched<Node>): (name: string) => boolean {
  const lost = new Set<string>();
  nodes.onChange(({ before, after }) => {
    const name = (before ?? after)?.metadata.name;
    if (name === undefined) return;
    if (after !== undefined && namesInstance(after)) lost.delete(name);
    else if (before !== undefined && namesInstance(before)) lost.add(name);
    const [oldest] = lost;
    if (lost.size > MOST_DELETED && oldest !== undefined) lost.delete(oldest);
  });
  return (name) => lost.has(name);
}
