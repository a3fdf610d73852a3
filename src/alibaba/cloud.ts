import type { NetworkApi } from '../clb/model/network-api.ts';
import type { ClbApi } from '../clb/model/clb-api.ts';
import type { Clock } from '../base/clock.ts';
import type { RegionApi } from '../inventory/cloud-list-api.ts';
import type { Logger } from '../base/log.ts';
import type { InstanceApi } from '../node/instance-api.ts';
import type { RouteApi } from '../route/route-api.ts';
import type { CloudTransport } from './cloud-call-types.ts';
import { createCloudExecutor, withRepeatedReads, type CloudWriteGuard } from './executor.ts';
import { instanceApi } from './ecs/instances.ts';
import { interfacesApi } from './ecs/interfaces-by-address.ts';
import { createLimiter } from './limiter.ts';
import type { Limits } from './rate-limits.ts';
import type { CloudMetrics } from './metrics.ts';
import { createSerial } from '../base/serial.ts';
import { clbApi } from './slb/clb-api.ts';
import { createSlbClient } from './slb/client.ts';
import { regionApi } from './slb/region-lists.ts';
import { ThrottledApis } from './throttled-apis.ts';
import { elasticAddressApi } from './vpc/elastic-addresses.ts';
import { rangesApi } from './vpc/ranges.ts';
import { routeApi } from './vpc/routes.ts';

/** The cloud APIs that the controllers and `portcullis plan` use. */
export interface CloudApis {
  readonly clb: ClbApi;
  readonly network: NetworkApi;
  readonly region: RegionApi;
  readonly instances: InstanceApi;
  readonly routes: RouteApi;
  /** Returns the APIs that throttled calls in the last five minutes, sorted. */
  readonly throttledApis: () => readonly string[];
}

export interface CloudParts {
  readonly regionId: string;
  /** Sends the calls of the controllers. */
  readonly transport: CloudTransport;
  /** Sends the calls of the inventory under a separate user agent. */
  readonly inventoryTransport: CloudTransport;
  /** Returns whether this process may send a write now. The executor calls the guard before each write. */
  readonly guard: CloudWriteGuard;
  /** Whether the process must not send any write. */
  readonly isReadOnly?: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: CloudMetrics;
  readonly limits?: Limits;
  /** Returns the current and recent credentials. The executor removes them from messages and logs. */
  readonly secrets?: () => Iterable<string>;
}

/** Creates the cloud APIs. A process calls this function only once, because all calls must share the rate limits. */
export function createCloud({ regionId, transport, inventoryTransport, limits, ...shared }: CloudParts): CloudApis {
  const throttled = new ThrottledApis(shared.clock);
  const metrics = throttled.recording(shared.metrics);
  const commonParts = { ...shared, metrics, limiter: createLimiter(shared.clock, limits), serial: createSerial() };
  const executor = createCloudExecutor({ ...commonParts, transport });
  const inventoryExecutor = createCloudExecutor({ ...commonParts, transport: inventoryTransport });
  return {
    clb: clbApi(createSlbClient(withRepeatedReads(executor), regionId)),
    network: {
      ...interfacesApi(executor, regionId),
      ...rangesApi(executor, regionId),
      ...elasticAddressApi(executor, regionId),
    },
    region: regionApi(createSlbClient(inventoryExecutor, regionId)),
    instances: instanceApi(executor, regionId),
    routes: routeApi(executor, regionId),
    throttledApis: () => throttled.names(),
  };
}

/** Returns the user agents. The inventory has its own user agent, so that audit logs of the cloud show its calls separately. */
export const userAgents = (version: string, clusterId: string) => ({
  controllers: `portcullis/${version} ClusterId/${clusterId}`,
  inventory: `portcullis-inventory/${version} ClusterId/${clusterId}`,
});
