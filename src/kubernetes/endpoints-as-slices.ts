import { isIPv6 } from 'node:net';
import { INDEX } from '../controller/kubernetes-interface.ts';
import {
  SERVICE_NAME_LABEL,
  type Endpoint,
  type Endpoints,
  type EndpointSlice,
  type ObjectKey,
} from '../base/kubernetes-objects.ts';
import type { Change, Watched } from '../base/cache-interfaces.ts';

/** The annotation of Endpoints that serve as a leader election lock and belong to no Service. */
export const LEADER = 'control-plane.alpha.kubernetes.io/leader';

type Subset = NonNullable<Endpoints['subsets']>[number];
type Address = NonNullable<Subset['addresses']>[number];

const endpointOf = ({ ip, nodeName, targetRef }: Address, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(nodeName === undefined ? {} : { nodeName }),
  ...(targetRef === undefined ? {} : { targetRef }),
});

const endpointsOf = ({ addresses, notReadyAddresses }: Subset): readonly Endpoint[] => [
  ...(addresses ?? []).map((address) => endpointOf(address, true)),
  ...(notReadyAddresses ?? []).map((address) => endpointOf(address, false)),
];

function sliceOf({ metadata }: Endpoints, subsets: readonly Subset[]): EndpointSlice {
  const endpoints = subsets.flatMap(endpointsOf);
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    metadata: { name, namespace, uid, resourceVersion, labels: { [SERVICE_NAME_LABEL]: name } },
    addressType: endpoints.some(({ addresses }) => isIPv6(addresses[0] ?? '')) ? 'IPv6' : 'IPv4',
    endpoints,
    ports: subsets.flatMap(({ ports }) => ports ?? []),
  };
}

/** Returns the EndpointSlices that Kubernetes would create. Each subset becomes a slice, because each subset has its own ports. */
const slicesOf = (endpoints: Endpoints): readonly EndpointSlice[] =>
  (endpoints.subsets ?? []).map((subset) => sliceOf(endpoints, [subset]));

/** Returns whether Endpoints belong to a Service. */
export const areOfAService = ({ metadata }: Endpoints): boolean => metadata.annotations?.[LEADER] === undefined;

/** Presents a cache of Endpoints as EndpointSlices, for clusters without EndpointSlices. Supports only the index by Service. */
export function endpointsAsSlices(cache: Watched<Endpoints>): Watched<EndpointSlice> {
  // A key identifies one object, so `get` and changes merge all subsets into one slice.
  const whole = (endpoints: Endpoints | undefined) =>
    endpoints === undefined ? undefined : sliceOf(endpoints, endpoints.subsets ?? []);
  return {
    get size() {
      return cache.size;
    },
    get: (key) => whole(cache.get(key)),
    values: () => [...cache.values()].flatMap(slicesOf),
    byIndex: (index, value) => {
      const found = index === INDEX.slicesByService ? cache.get(value as ObjectKey) : undefined;
      return found === undefined ? [] : slicesOf(found);
    },
    hasSynced: () => cache.hasSynced(),
    onSynced: (handler) => cache.onSynced(handler),
    onChange: (handler) =>
      cache.onChange((change) => {
        const [before, after] = [whole(change.before), whole(change.after)];
        const sliceChange: Change<EndpointSlice> = {
          ...(before === undefined ? {} : { before }),
          ...(after === undefined ? {} : { after }),
        };
        handler(sliceChange);
      }),
  };
}
