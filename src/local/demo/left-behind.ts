import { WELL_KNOWN } from '../../annotation/well-known.ts';
import { CLOUD, MACHINES } from '../seed.ts';
import { NAMESPACE } from './objects.ts';

/** The sample, as the API server has stored it. */
export interface LeftService {
  readonly name: string;
  readonly uid: string;
  readonly port: number;
  readonly nodePort: number;
}

/** What the existing controller computes of the sample `taken-over`, to know that it has nothing to do. */
export const HASH = 'ae0e4bf945da00bae686bdff884d8be29cfcd4ffb747b56f87341e8d';

/** The id and the address that the cloud is to give its load balancer. */
export const LEFT_BEHIND = { id: 'lb-bp1takenover', address: '47.99.0.80' } as const;

const GROUP = 'rsp-bp1takenover';

/** What the existing controller has made in the cloud for such a Service: as a seed of the simulator. */
export function leftInCloud({ name, uid, port, nodePort }: LeftService): object {
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
    ...LEFT_BEHIND,
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

/** What it has written to the Service: two labels and a finalizer, and the address into its status. */
export const leftAtService = {
  metadata: {
    finalizers: [WELL_KNOWN.finalizer.name],
    labels: { [WELL_KNOWN.hash.name]: HASH, [WELL_KNOWN.loadBalancerId.name]: LEFT_BEHIND.id },
  },
  status: { loadBalancer: { ingress: [{ ip: LEFT_BEHIND.address }] } },
} as const;
