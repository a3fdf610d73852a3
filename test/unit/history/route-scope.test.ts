import { called, judges } from '../../support/history/build.ts';
import { routeScope } from '../../support/history/invariants/route-scope.ts';

const gone = (range: string, nextHop = 'i-1', userAgent = 'portcullis') =>
  called('DeleteRouteEntries', {
    userAgent,
    parameters: { 'RouteEntries.1.DstCidrBlock': range, 'RouteEntries.1.NextHop': nextHop },
  });

judges(routeScope, {
  keep: {
    'the route of a Node goes': gone('172.20.1.0/24'),
    'a person deletes another': gone('0.0.0.0/0', 'ngw-1', 'test'),
  },
  break: {
    'the default route goes': gone('0.0.0.0/0'),
    'a route outside the cluster goes': gone('10.8.0.0/24'),
    'the route of the whole range goes': gone('172.20.0.0/16'),
    'a route to something else goes': gone('172.20.1.0/24', 'ngw-1'),
  },
});
