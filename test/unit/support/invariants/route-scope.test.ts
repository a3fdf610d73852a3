import { called, testInvariant } from '../../../support/invariants/history-builders.ts';
import { routeScope } from '../../../support/invariants/invariants/route-scope.ts';

const deletion = (range: string, nextHop = 'i-1', userAgent = 'portcullis') =>
  called('DeleteRouteEntries', {
    userAgent,
    parameters: { 'RouteEntries.1.DstCidrBlock': range, 'RouteEntries.1.NextHop': nextHop },
  });

/** A deleted route of a user or of another cluster cuts off its traffic. */
testInvariant(routeScope, {
  keep: {
    'the route of a Node is deleted': deletion('172.20.1.0/24'),
    'a user deletes another route': deletion('0.0.0.0/0', 'ngw-1', 'test'),
  },
  break: {
    'the default route is deleted': deletion('0.0.0.0/0'),
    'a route outside the cluster is deleted': deletion('10.8.0.0/24'),
    'the route of the whole range is deleted': deletion('172.20.0.0/16'),
    'a route to another kind of next hop is deleted': deletion('172.20.1.0/24', 'ngw-1'),
  },
});

const RANGES = { clusterCidrs: ['10.64.0.0/12', 'fd00:1::/56'] };
testInvariant(
  routeScope,
  {
    keep: {
      'the route is in another range of the cluster': deletion('10.79.255.0/24'),
      'the route is an IPv6 route': deletion('fd00:1:0:7::/64'),
    },
    break: {
      'the route is just outside the range': deletion('10.80.0.0/24'),
      'the route is in the range of another cluster': deletion('172.20.1.0/24'),
      'the route contains a range of the cluster': deletion('fd00:1::/48'),
      'the route equals the range': deletion('10.64.0.0/12'),
    },
  },
  RANGES,
);
