import type { Endpoint, EndpointSlice, ServicePort } from '../objects.ts';

/** Ready as Kubernetes says it: an unknown readiness counts as ready. A terminating pod gets nothing new. */
const takesTraffic = ({ conditions }: Endpoint): boolean =>
  (conditions?.ready ?? true) && !(conditions?.terminating ?? false);

/** Whether the slice serves the Service's port; a slice without a port list serves all. */
const serves = (slice: EndpointSlice, port: ServicePort): boolean =>
  slice.ports?.some(({ name }) => (name ?? '') === (port.name ?? '')) ?? true;

/**
 * How many pods behind the port take traffic, by the name of their Node. An address in two slices counts once.
 * `family` is the Service's first address family: a dual-stack pod is in slices of both.
 */
export function podsByNode(
  slices: readonly EndpointSlice[],
  port: ServicePort,
  family: 'IPv4' | 'IPv6',
): ReadonlyMap<string, number> {
  const seen = new Set<string>();
  const pods = new Map<string, number>();
  for (const slice of slices) {
    if (slice.addressType !== family || !serves(slice, port)) continue;
    for (const endpoint of slice.endpoints ?? []) {
      const [address] = endpoint.addresses;
      if (address === undefined || endpoint.nodeName === undefined || !takesTraffic(endpoint)) continue;
      if (seen.has(address)) continue;
      seen.add(address);
      pods.set(endpoint.nodeName, (pods.get(endpoint.nodeName) ?? 0) + 1);
    }
  }
  return pods;
}
