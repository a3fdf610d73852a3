import type { Running } from './running-controller.ts';

/** Returns the id of the first server group whose name has this prefix. */
export async function groupIdOf({ cluster }: Running, loadBalancerId: string, prefix = ''): Promise<string> {
  const { VServerGroups } = (await cluster.ask('DescribeVServerGroups', { LoadBalancerId: loadBalancerId })) as {
    readonly VServerGroups: {
      readonly VServerGroup: readonly { readonly VServerGroupId: string; readonly VServerGroupName: string }[];
    };
  };
  const group = VServerGroups.VServerGroup.find(({ VServerGroupName }) => VServerGroupName.startsWith(prefix));
  return group?.VServerGroupId ?? '';
}

/** Turns off the deletion protection of a load balancer, and deletes the load balancer. */
export async function deleteByHand({ cluster }: Running, id: string): Promise<void> {
  await cluster.ask('SetLoadBalancerDeleteProtection', { LoadBalancerId: id, DeleteProtection: 'off' });
  await cluster.ask('DeleteLoadBalancer', { LoadBalancerId: id });
}

/** Adds a tag to a load balancer. */
export const tagByHand = ({ cluster }: Running, id: string, key: string, value: string): Promise<unknown> =>
  cluster.ask('TagResources', {
    ...{ ResourceType: 'instance', 'ResourceId.1': id },
    ...{ 'Tag.1.Key': key, 'Tag.1.Value': value },
  });

/** Removes a tag of a load balancer. */
export const untagByHand = ({ cluster }: Running, id: string, key: string): Promise<unknown> =>
  cluster.ask('UntagResources', { ResourceType: 'instance', 'ResourceId.1': id, 'TagKey.1': key });

/** Creates a TCP listener on a load balancer. */
export const listenByHand = ({ cluster }: Running, id: string, port: number, more: object = {}): Promise<unknown> =>
  cluster.ask('CreateLoadBalancerTCPListener', { LoadBalancerId: id, ListenerPort: port, Bandwidth: -1, ...more });

/** Deletes a listener of a load balancer. */
export const removeListenerByHand = ({ cluster }: Running, id: string, port: number): Promise<unknown> =>
  cluster.ask('DeleteLoadBalancerListener', { LoadBalancerId: id, ListenerPort: port });
