import { WELL_KNOWN } from '../../annotation/well-known-names.ts';
import { CLOUD, MACHINES } from '../seed.ts';
import { NAMESPACE } from './service-lookup.ts';

// The cloud resources and the metadata of a Service of the Alibaba Cloud Controller Manager, for the step `take-over`.

/** The fields of the sample Service `taken-over` that determine the names of its cloud resources. */
export interface ExistingService {
  readonly name: string;
  readonly uid: string;
  readonly port: number;
  readonly nodePort: number;
}

/** The hash that the Alibaba Cloud Controller Manager computes for the sample `taken-over` to detect changes. */
export const HASH = 'ae0e4bf945da00bae686bdff884d8be29cfcd4ffb747b56f87341e8d';

/** The id and address of the sample's load balancer in the cloud. */
export const EXISTING_LOAD_BALANCER = { id: 'lb-bp1takenover', address: '47.99.0.80' } as const;

const GROUP = 'rsp-bp1takenover';

/** Returns the cloud resources that the Alibaba Cloud Controller Manager creates for the sample Service, as a seed of the simulator. */
export function existingCloudSeed({ name, uid, port, nodePort }: ExistingService): object {
  const named = (of: number): string => `k8s/${of}/${name}/${NAMESPACE}/${CLOUD.clusterId}`;
  const ownName = `a${uid.replaceAll('-', '')}`.slice(0, 32);
  const group = {
    id: GROUP,
    name: named(nodePort),
    backends: MACHINES.map(({ instanceId }) => ({
      ...{ serverId: instanceId, port: nodePort, weight: 100 },
      description: named(nodePort),
    })),
  };
  const balancer = {
    ...EXISTING_LOAD_BALANCER,
    name: ownName,
    instanceChargeType: 'PayByCLCU',
    deleteProtection: 'on',
    modificationProtection: 'ConsoleProtection',
    modificationProtectionReason: 'managed.by.ack',
    tags: { [WELL_KNOWN.owner.name]: ownName, [WELL_KNOWN.cluster.name]: CLOUD.clusterId },
    serverGroups: [group],
    listeners: [
      {
        ...{ port, protocol: 'tcp' },
        attributes: { Description: named(port), VServerGroupId: GROUP, Scheduler: 'rr', Bandwidth: -1 },
      },
    ],
  };
  return { loadBalancers: [balancer] };
}

/** The fields that the Alibaba Cloud Controller Manager writes to the Service: two labels, a finalizer, and the address in its status. */
export const existingServiceFields = {
  metadata: {
    finalizers: [WELL_KNOWN.finalizer.name],
    labels: { [WELL_KNOWN.hash.name]: HASH, [WELL_KNOWN.loadBalancerId.name]: EXISTING_LOAD_BALANCER.id },
  },
  status: { loadBalancer: { ingress: [{ ip: EXISTING_LOAD_BALANCER.address }] } },
} as const;
