import { z } from 'zod';
import {
  OWNERS,
  type ClassicLoadBalancerStatus,
  type CloudInventoryStatus,
  type ListenerStatus,
} from '../inventory/custom-resources.ts';

/** A schema for every field of a type, so that the compiler reports a forgotten optional field, which parsing would drop. */
type EveryField<Type> = { readonly [Field in keyof Type]-?: z.ZodType<Type[Field]> };

const LISTENER = {
  port: z.int(),
  protocol: z.enum(['tcp', 'udp', 'http', 'https']),
  service: z.string().exactOptional(),
  scheduler: z.enum(['rr', 'wrr', 'wlc', 'sch', 'tch', 'qch']).exactOptional(),
  orphan: z.literal(true).exactOptional(),
} satisfies EveryField<ListenerStatus>;

const LOAD_BALANCER = {
  address: z.string(),
  addressType: z.enum(['internet', 'intranet']),
  ipVersion: z.enum(['ipv4', 'ipv6']),
  vpcId: z.string(),
  resourceGroupId: z.string(),
  bandwidth: z.number().exactOptional(),
  owner: z.enum(OWNERS),
  service: z.string(),
  listeners: z.array(z.object(LISTENER)),
  ports: z.string().exactOptional(),
  tags: z.array(z.object({ key: z.string(), value: z.string() })).exactOptional(),
} satisfies EveryField<ClassicLoadBalancerStatus>;

const INVENTORY = {
  observedAt: z.iso.datetime({ offset: true }),
  regionId: z.string(),
  vpcId: z.string(),
  clusterId: z.string(),
  clusterCidrs: z.array(z.string()),
  backendType: z.enum(['ecs', 'eni']),
  disablePublicSLB: z.boolean(),
  leaseTransitions: z.int().exactOptional(),
  throttledApis: z.array(z.string()).exactOptional(),
} satisfies EveryField<CloudInventoryStatus>;

/** The shape of a `ClassicLoadBalancer` from a file or a cluster, with the fields that rules need. Without this check, rules could fail. */
export const InventoryLoadBalancer = z.object({
  metadata: z.object({ name: z.string(), creationTimestamp: z.string().nullish() }),
  status: z.object(LOAD_BALANCER).exactOptional(),
});

/** The shape of the `CloudInventory` from a file or a cluster, with the fields that rules need. */
export const InventoryObject = z.object({
  metadata: z.object({ name: z.literal('default') }),
  status: z.object(INVENTORY).exactOptional(),
});
