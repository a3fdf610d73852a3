import { BlockList, isIPv6 } from 'node:net';
import type { Invariant } from '../moment.ts';
import { isOurs } from '../ownership.ts';

interface Range {
  readonly list: BlockList;
  readonly family: 'ipv4' | 'ipv6';
  readonly length: number;
}

const familyOf = (address: string): Range['family'] => (isIPv6(address) ? 'ipv6' : 'ipv4');
const split = (cidr: string): readonly [address: string, length: number] => {
  const [address = '', length = '0'] = cidr.split('/');
  return [address, Number(length)];
};

function rangeOf(cidr: string): Range {
  const [address, length] = split(cidr);
  const list = new BlockList();
  const family = familyOf(address);
  list.addSubnet(address, length, family);
  return { list, family, length };
}

/** Returns whether a range is a proper part of another range. */
const isInside = (cidr: string, { list, family, length }: Range): boolean => {
  const [address, ownLength] = split(cidr);
  return familyOf(address) === family && ownLength > length && list.check(address, family);
};

/** Returns the foreign routes of a deleting call. */
function foreignRoutes(parameters: Readonly<Record<string, string>>, ranges: readonly Range[]): readonly string[] {
  const fields = Object.entries(parameters).filter(([name]) => /(?:Dst|Destination)CidrBlock$/.test(name));
  return fields.flatMap(([name, cidr]) => {
    const nextHop = parameters[name.replace(/(?:Dst|Destination)CidrBlock$/, 'NextHop')] ?? '';
    const isOfNode = ranges.some((range) => isInside(cidr, range)) && nextHop.startsWith('i-');
    return isOfNode ? [] : [`${cidr} to ${nextHop}`];
  });
}

/** A deleted route of a user or of another cluster cuts off its traffic. */
export const routeScope: Invariant = {
  name: 'RouteScope',
  statement: 'only routes inside the ranges of the cluster with an instance as next hop are deleted',
  check(history, { clusterCidrs, evaluated }) {
    const ranges = clusterCidrs.map(rangeOf);
    return history.flatMap((moment, at) => {
      if (moment.kind !== 'sent' || !isOurs(moment.call) || !moment.call.action.startsWith('DeleteRouteEntr'))
        return [];
      evaluated();
      return foreignRoutes(moment.call.parameters, ranges).map((route) => ({
        at,
        found: `the deletion of ${route} was sent`,
      }));
    });
  },
};
