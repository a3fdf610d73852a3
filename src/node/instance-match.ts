import type { Node } from '../base/kubernetes-objects.ts';
import { contradicts } from './addresses.ts';
import type { Instance } from './instance.ts';
import { parseProviderId } from './provider-id.ts';

/** The instance of a Node without a provider ID, or the reason why none was chosen. */
export type Resolution =
  | { readonly kind: 'found'; readonly instance: Instance; readonly by: string }
  | { readonly kind: 'none' }
  /**
   * Several instances match, or the instance belongs to another Node. The controller chooses none, because a wrong provider ID cannot be corrected.
   */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly string[]; readonly by: string };

/** A way to match a Node with its instance. */
interface Way {
  /** The end of a message that begins with "found by". */
  readonly by: string;
  readonly matches: (node: Node, instance: Instance) => boolean;
  /**
   * True for a match by name. The Node's addresses must not contradict the match, because users choose names, and several machines may have equal
   * names.
   */
  readonly isWeak?: true;
}

/** Returns a UUID with the byte order of its first three groups reversed, as some machine images report the UUID. Returns other texts unchanged. */
function swapped(uuid: string): string {
  const groups = uuid.split('-');
  const reverse = (hex: string): string => (hex.match(/../g) ?? []).toReversed().join('');
  return groups.length === 5 ? [...groups.slice(0, 3).map(reverse), ...groups.slice(3)].join('-') : uuid;
}

const systemUuid = ({ status }: Node): string => (status?.nodeInfo?.systemUUID ?? '').toLowerCase();

const internalAddresses = ({ status }: Node): readonly string[] =>
  (status?.addresses ?? [])
    .filter(({ type, address }) => type === 'InternalIP' && !address.includes(':'))
    .map(({ address }) => address);

/** The ways to match a Node with an instance, the most reliable way first. */
const WAYS: readonly Way[] = [
  {
    by: 'the name of the Node, which has the form of a provider ID',
    matches: ({ metadata }, { id, regionId }) => {
      const named = parseProviderId(metadata.name);
      return named?.instanceId === id && named.regionId === regionId;
    },
  },
  {
    by: 'the serial number of the machine',
    matches: (node, { serialNumber }) => {
      const uuid = systemUuid(node);
      const serial = serialNumber.toLowerCase();
      return uuid !== '' && (uuid === serial || swapped(uuid) === serial);
    },
  },
  {
    by: 'the private address',
    matches: (node, { addresses }) => {
      const internal = internalAddresses(node);
      return internal.length === 1 && addresses.private.includes(internal[0] ?? '');
    },
  },
  {
    by: 'the host name',
    matches: ({ metadata }, { hostName, name }) => hostName === metadata.name || name === metadata.name,
    isWeak: true,
  },
];

/** Finds the instance of a Node without a provider ID. `claimed` contains the ids of instances that belong to other Nodes. */
export function resolve(node: Node, instances: readonly Instance[], claimed: ReadonlySet<string>): Resolution {
  const found = WAYS.map((way) => ({
    ...way,
    instances: instances.filter((instance) => way.matches(node, instance)),
  })).filter((way) => way.instances.length > 0);
  const [first] = found;
  if (first === undefined) return { kind: 'none' };
  const fitting = first.isWeak
    ? first.instances.filter(({ addresses }) => !contradicts(node, addresses))
    : first.instances;
  if (fitting.length === 0) return { kind: 'none' };
  // A way agrees if any of its instances is a candidate, because several machines can have equal host names.
  const candidates = new Map(fitting.map((instance) => [instance.id, instance]));
  const [only] = candidates.values();
  const agree = found.every((way) => way.instances.some(({ id }) => candidates.has(id)));
  if (candidates.size === 1 && only !== undefined && agree && !claimed.has(only.id)) {
    return { kind: 'found', instance: only, by: first.by };
  }
  const all = new Set(found.flatMap((way) => (way === first ? fitting : way.instances).map(({ id }) => id)));
  return { kind: 'ambiguous', candidates: [...all].sort(), by: first.by };
}
