import { parseRange, usableAddresses } from './address.ts';
import type { VSwitchRow } from './vpc/table-rows.ts';
import type { SimulatedRegion } from './simulated-region.ts';

/** Returns the addresses of a vSwitch that load balancers, instances and network interfaces use. */
export function takenAddresses(world: SimulatedRegion, vSwitchId: string): ReadonlySet<string> {
  const here = (thing: { readonly vSwitchId: string | undefined }): boolean => thing.vSwitchId === vSwitchId;
  return new Set([
    ...world.loadBalancers
      .rows()
      .filter(here)
      .map(({ address }) => address),
    ...world.instances
      .rows()
      .filter(here)
      .flatMap(({ privateAddresses }) => privateAddresses),
    ...world.networkInterfaces
      .rows()
      .filter(here)
      .flatMap(({ privateAddresses }) => privateAddresses),
  ]);
}

/** Returns the number of free addresses of a vSwitch. */
export function vSwitchSpace(world: SimulatedRegion, subnet: VSwitchRow): number {
  const range = parseRange(subnet.cidrBlock);
  const capacity = subnet.capacity ?? (range === undefined ? 0 : usableAddresses(range));
  return Math.max(0, capacity - takenAddresses(world, subnet.id).size);
}
