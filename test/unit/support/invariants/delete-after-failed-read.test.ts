import { aPicture, called, testInvariant, STARTED } from '../../../support/invariants/history-builders.ts';
import { deleteAfterFailedRead } from '../../../support/invariants/invariants/delete-after-failed-read.ts';

const target = aPicture();
const parameters = { LoadBalancerId: 'lb-1' };
const groups = (over: Parameters<typeof called>[1] = {}) => called('DescribeVServerGroups', { parameters, ...over });
const failed = groups({ outcome: 'InternalError' });
const deletion = called('DeleteVServerGroup', { target, parameters: { VServerGroupId: 'rsp-1' } });
const members = (group: string) =>
  called('DescribeVServerGroupAttribute', { outcome: 'InternalError', parameters: { VServerGroupId: group } });

const routes = (RouteTableId: string, outcome = 'OK') =>
  called('DescribeRouteEntryList', { outcome, parameters: { RouteTableId } });
const routeDeletion = called('DeleteRouteEntries', { parameters: { 'RouteEntries.1.RouteTableId': 'vtb-1' } });

/** A failed read does not prove that a resource is unused, so a deletion after it may hit a live resource. */
testInvariant(deleteAfterFailedRead, {
  keep: {
    'the table of a route was read': [...routes('vtb-1'), ...routeDeletion],
    'another table could not be read': [...routes('vtb-1'), ...routes('vtb-2', 'InternalError'), ...routeDeletion],
    'the groups were read': [...groups(), ...deletion],
    'the response is that the resource does not exist': [
      ...groups({ outcome: 'InvalidLoadBalancerId.NotFound' }),
      ...deletion,
    ],
    'the read was repeated': [...failed, ...groups(), ...deletion],
    'the read of another load balancer failed': [
      ...groups({ outcome: 'InternalError', parameters: { LoadBalancerId: 'lb-2' } }),
      ...deletion,
    ],
    'the read of another group failed': [...members('rsp-2'), ...deletion],
    'the read of another process failed': [...failed, STARTED, ...deletion],
  },
  break: {
    'the table of a route could not be read': [...routes('vtb-1', 'InternalError'), ...routeDeletion],
    'the read failed': [...failed, ...deletion],
    'the response was truncated': [...groups({ fault: 'cut-reply' }), ...deletion],
    'the members of the group could not be read': [...members('rsp-1'), ...deletion],
  },
});
