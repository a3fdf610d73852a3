import type { Clock } from '../../../base/clock.ts';
import { parseProviderId } from '../../../node/provider-id.ts';
import type { Node, Service } from '../../../base/objects.ts';
import type { Watched } from '../../../base/store.ts';

/** The maximum number of names, so that deleted Nodes do not fill the memory. */
const MOST_NAMES = 1_000;

const namesInstance = ({ spec }: Node): boolean => parseProviderId(spec?.providerID ?? '') !== undefined;

/** Returns whether a Node of this name lost its instance while the Service was there, as far as this process has seen. */
export type InstanceHistory = (name: string, service: Service) => boolean;

/** Records when Nodes lose their instance. */
export function instanceHistory(nodes: Watched<Node>, clock: Pick<Clock, 'now'>): InstanceHistory {
  const lostAtMs = new Map<string, number>();
  nodes.onChange(({ before, after }) => {
    const name = (before ?? after)?.metadata.name;
    if (name === undefined) return;
    if (after !== undefined && namesInstance(after)) lostAtMs.delete(name);
    else if (before !== undefined && namesInstance(before)) lostAtMs.set(name, clock.now());
    const [oldest] = lostAtMs.keys();
    if (lostAtMs.size > MOST_NAMES && oldest !== undefined) lostAtMs.delete(oldest);
  });
  return (name, { metadata: { creationTimestamp = '' } }) => {
    const atMs = lostAtMs.get(name);
    return atMs !== undefined && !(Date.parse(creationTimestamp) > atMs);
  };
}
