import { BlockList, isIPv6 } from 'node:net';
import type { ServerId } from '../../../clb/model/ids.ts';
import { ADDRESSES_PER_LOOKUP, type NetworkApi } from '../../../clb/model/network-api.ts';
import type { CallContext } from '../../../plan/call-context.ts';
import { podBackends, type Located } from '../../../clb/desired/pod-interfaces.ts';
import type { PodBackend } from '../../../clb/model/server-group.ts';
import type { WantedResources } from '../../../clb/model/desired-and-observed-state.ts';
import type { Clock } from '../../../base/clock.ts';
import { PortcullisError } from '../../../base/errors.ts';
import { failureOf } from '../sync/tolerated-failure.ts';

/** The result of looking up one address, valid while the same pod has the address. */
export interface KnownAddress {
  readonly pod: string;
  /** The network interface; undefined for an address outside the VPC. */
  readonly serverId?: ServerId;
  /** The monotonic time of the lookup. */
  readonly foundAtMs: number;
}

/** The addresses behind one Service that this process has looked up. */
export type KnownAddresses = Map<string, KnownAddress>;

/** Milliseconds for which the result of a lookup is valid. */
export const ADDRESS_PERIOD_MS = 60 * 60_000;
/** Milliseconds for which the ranges of the VPC are cached. */
const RANGES_PERIOD_MS = 10 * 60_000;

/** A function that reads the VPC's ranges, and returns a test whether an address is in the VPC. */
export type VpcRanges = (context: CallContext) => Promise<(address: string) => boolean>;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Returns a reader of the VPC's address ranges. Reads the ranges at the first use, and then at most every ten minutes. */
export function vpcRanges(vpcId: string, network: Pick<NetworkApi, 'listRanges'>, clock: Clock): VpcRanges {
  let known: { readonly atMs: number; readonly ranges: BlockList } | undefined;
  return async (context) => {
    const nowMs = clock.monotonic();
    if (known === undefined || nowMs - known.atMs > RANGES_PERIOD_MS) {
      const ranges = new BlockList();
      for (const range of await network.listRanges(vpcId, context)) {
        const [address = '', length = ''] = range.split('/');
        ranges.addSubnet(address, Number(length), familyOf(address));
      }
      known = { atMs: nowMs, ranges };
    }
    const { ranges } = known;
    return (address) => ranges.check(address, familyOf(address));
  };
}

export interface EniLookupContext {
  readonly vpcId: string;
  readonly network: Pick<NetworkApi, 'findInterfaces'>;
  readonly isNear: VpcRanges;
  readonly clock: Clock;
  readonly context: CallContext;
}

/** The network interfaces of pod backends, and the results to report to users. */
export interface LocatedPods extends Located {
  /** Addresses that this lookup found outside the VPC. */
  readonly newlyOutsideVpc: readonly string[];
  /** The failure of a lookup, because of which addresses may be missing. */
  readonly failure?: PortcullisError;
}

/** Returns the network interface of each known address, without addresses outside the VPC. */
const interfacesIn = (known: KnownAddresses): ReadonlyMap<string, ServerId> =>
  new Map(
    [...known].flatMap(([address, { serverId }]) => (serverId === undefined ? [] : [[address, serverId] as const])),
  );

/** Returns the interfaces that earlier lookups found, without a new lookup; undefined if an address is unknown. */
export function locatedBefore(wanted: WantedResources, known: KnownAddresses): Located | undefined {
  const isKnown = podBackends(wanted).every(({ serverIp, pod }) => known.get(serverIp)?.pod === pod);
  return isKnown ? { interfaces: interfacesIn(known), missing: new Set() } : undefined;
}

/** Looks up addresses in batches, and adds their network interfaces to `found`. */
async function addInterfaces(
  addresses: readonly string[],
  found: Map<string, ServerId>,
  lookup: EniLookupContext,
): Promise<void> {
  if (lookup.vpcId === '')
    throw new PortcullisError(
      'InvalidConfiguration',
      'network interfaces of pods cannot be looked up without a VPC; set Global.vpcid in the cloud-config file',
    );
  for (let from = 0; from < addresses.length; from += ADDRESSES_PER_LOOKUP) {
    const batch = addresses.slice(from, from + ADDRESSES_PER_LOOKUP);
    const answer = await lookup.network.findInterfaces(lookup.vpcId, batch, lookup.context);
    for (const [address, serverId] of answer) found.set(address, serverId);
  }
}

/** Returns whether the known address of a pod is still valid. */
const isCurrent = (known: KnownAddress | undefined, { pod }: PodBackend, nowMs: number): boolean =>
  known?.pod === pod && nowMs - known.foundAtMs < ADDRESS_PERIOD_MS;

/** Finds the network interfaces of pod backends. An address without an interface does not delay the other addresses. */
export async function locate(
  wanted: WantedResources,
  known: KnownAddresses,
  lookup: EniLookupContext,
): Promise<LocatedPods> {
  const pods = podBackends(wanted);
  const nowMs = lookup.clock.monotonic();
  const present = new Set(pods.map(({ serverIp }) => serverIp));
  for (const address of known.keys()) if (!present.has(address)) known.delete(address);
  const unknown = pods.filter((pod) => !isCurrent(known.get(pod.serverIp), pod, nowMs));
  const lookupResult = await locateUnknown(unknown, known, nowMs, lookup);
  const missing = pods.filter(({ serverIp, pod }) => known.get(serverIp)?.pod !== pod).map(({ serverIp }) => serverIp);
  const lost = new Set(missing);
  const interfaces = [...known].flatMap(([address, { serverId }]) =>
    serverId === undefined || lost.has(address) ? [] : [[address, serverId] as const],
  );
  return { interfaces: new Map(interfaces), missing: lost, ...lookupResult };
}

/** Looks up addresses and stores the results in `known`. */
async function locateUnknown(
  pods: readonly PodBackend[],
  known: KnownAddresses,
  foundAtMs: number,
  lookup: EniLookupContext,
): Promise<Pick<LocatedPods, 'newlyOutsideVpc' | 'failure'>> {
  if (pods.length === 0) return { newlyOutsideVpc: [] };
  const found = new Map<string, ServerId>();
  const addresses = pods.map(({ serverIp }) => serverIp);
  const unfound = await failureOf(() => addInterfaces(addresses, found, lookup));
  for (const { serverIp, pod } of pods) {
    const serverId = found.get(serverIp);
    if (serverId !== undefined) known.set(serverIp, { pod, serverId, foundAtMs });
  }
  // A found interface stays known, even if a later lookup does not find it.
  const lost = pods.filter(({ serverIp, pod }) => known.get(serverIp)?.pod !== pod);
  if (unfound !== undefined) return { newlyOutsideVpc: [], failure: unfound };
  const foreign: PodBackend[] = [];
  const failure =
    lost.length === 0
      ? undefined
      : await failureOf(async () => {
          const isNear = await lookup.isNear(lookup.context);
          foreign.push(...lost.filter(({ serverIp }) => !isNear(serverIp)));
        });
  for (const { serverIp, pod } of foreign) known.set(serverIp, { pod, foundAtMs });
  return { newlyOutsideVpc: foreign.map(({ serverIp }) => serverIp), ...(failure === undefined ? {} : { failure }) };
}
