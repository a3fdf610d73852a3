import { BlockList } from 'node:net';
import type { Invariant } from '../moment.ts';
import { isOurs } from '../ownership.ts';

/** The ranges that tests give to pods. */
const CLUSTER = new BlockList();
CLUSTER.addSubnet('172.20.0.0', 16);

/** The routes of a deleting call that are none of ours. */
function strangers(parameters: Readonly<Record<string, string>>): readonly string[] {
  const fields = Object.entries(parameters).filter(([name]) => name.endsWith('DstCidrBlock'));
  return fields.flatMap(([name, range]) => {
    const [address = '', length = '0'] = range.split('/');
    const nextHop = parameters[name.replace('DstCidrBlock', 'NextHop')] ?? '';
    const isOfNode = CLUSTER.check(address) && Number(length) > 16 && nextHop.startsWith('i-');
    return isOfNode ? [] : [`${range} to ${nextHop}`];
  });
}

export const routeScope: Invariant = {
  name: 'RouteScope',
  says: 'only routes inside the ranges of the cluster with an instance as next hop are ever deleted',
  check: (history) =>
    history.flatMap((moment, at) => {
      if (moment.kind !== 'sent' || !isOurs(moment.call) || !moment.call.action.startsWith('DeleteRouteEntr'))
        return [];
      return strangers(moment.call.parameters).map((route) => ({ at, found: `the deletion of ${route} was sent` }));
    }),
};
