import type { Node } from '../base/objects.ts';
import { contradicts } from './addresses.ts';
import type { Instance } from './instance.ts';
import { parseProviderId } from './provider-id.ts';

/** The instance behind a Node without a provider ID, or why none is taken for it. */
export type Resolution =
  | { readonly kind: 'found'; readonly instance: Instance; readonly by: string }
  | { readonly kind: 'none' }
  /** Several instances, or one that is another Node's: a wrong provider ID cannot be corrected. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly string[]; readonly by: string };

interface Way {
  /** Ends a sentence that begins with "found by". */
  readonly by: string;
  readonly matches: (node: Node, instance: Instance) => boolean;
  /** Whether it must not decide alone against the addresses that the Node has: people name machines, also several alike. */
  readonly isWeak?: true;
}

/**
 * A machine's UUID as the system may show it: its first three groups are of the other byte order on some images.
 * Answers the text as it is for what is no UUID.
 */
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

/** In order of trust. */
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

/**
 * Finds the instance of a Node among those of the cluster's VPC. The first way that finds any decides, but every other way that finds
 * any has to agree; an instance that another Node has already is no answer.
 */
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
  // A host name is given to several machines now and then: it may fail to tell them apart, but not contradict.
  const candidates = new Map(fitting.map((instance) => [instance.id, instance]));
  const [only] = candidates.values();
  const agree = found.every((way) => way.instances.some(({ id }) => candidates.has(id)));
  if (candidates.size === 1 && only !== undefined && agree && !claimed.has(only.id)) {
    return { kind: 'found', instance: only, by: first.by };
  }
  const all = new Set(found.flatMap((way) => (way === first ? fitting : way.instances).map(({ id }) => id)));
  return { kind: 'ambiguous', candidates: [...all].sort(), by: first.by };
}
