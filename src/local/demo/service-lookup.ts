import type { Resource } from '../../base/kubernetes-objects.ts';
import type { CloudLoadBalancer } from './simulator-client.ts';
import { StepFailed, until, type Demo } from './demo-step.ts';
import { z } from 'zod';

/** The namespace of the demo's Services and pods. */
export const NAMESPACE = 'demo';

/** Returns the path of a sample manifest in the repository. */
export const sample = (name: string): string => `manifests/samples/${name}.yaml`;

const Service = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
  status: z.object({
    loadBalancer: z
      .object({ ingress: z.array(z.object({ ip: z.string().optional() })).default([]) })
      .default({ ingress: [] }),
  }),
});

/** Returns the path of a Service at the API server. */
export const servicePath = (name: string): string => `/api/v1/namespaces/${NAMESPACE}/services/${name}`;

/** Returns the path of a cluster-scoped object at the API server. */
export const clusterPath = ({ group, version, plural }: Resource, name: string): string =>
  `/apis/${group}/${version}/${plural}/${name}`;

/** Reads a Service of the demo. Returns undefined if the Service does not exist. */
export async function readService({ api }: Demo, name: string): Promise<z.output<typeof Service> | undefined> {
  const found = await api.find(servicePath(name));
  return found === undefined ? undefined : Service.parse(found);
}

/** Waits for the address of the Service. Throws `StepFailed` after 45 s without an address. */
export const addressOf = (demo: Demo, name: string): Promise<string> =>
  until(demo, `Service ${name} has an address`, 45_000, async () => {
    const address = (await readService(demo, name))?.status.loadBalancer.ingress[0]?.ip;
    return address === undefined ? { not: 'no address in its status' } : { seen: address };
  });

/** Returns the load balancer at the address of a Service. Throws `StepFailed` if the Service has no address. */
export async function loadBalancerOf(demo: Demo, name: string): Promise<CloudLoadBalancer> {
  const address = (await readService(demo, name))?.status.loadBalancer.ingress[0]?.ip;
  if (address === undefined) throw new StepFailed(`Service ${name} has an address`, 'the Service has no address');
  return loadBalancerAt(demo, address);
}

/** Returns the load balancer with this address. Throws `StepFailed` if no load balancer or several load balancers have the address. */
export async function loadBalancerAt(demo: Demo, address: string): Promise<CloudLoadBalancer> {
  const found = (await demo.cloud.loadBalancers()).filter((balancer) => balancer.address === address);
  const [balancer] = found;
  if (balancer === undefined || found.length > 1) {
    throw new StepFailed(`one load balancer at ${address}`, `${found.length}`);
  }
  return balancer;
}

/** Returns the weight of each backend server by id. One map suffices, because the weights are equal in all server groups of a Service. */
export const weights = (balancer: CloudLoadBalancer): ReadonlyMap<string, number> =>
  new Map(balancer.serverGroups.flatMap(({ backends }) => backends.map(({ serverId, weight }) => [serverId, weight])));
