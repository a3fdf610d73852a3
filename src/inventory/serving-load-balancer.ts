import { parseAnnotations } from '../annotation/parse.ts';
import { isPublished, recordedIdOf } from '../clb/model/provisioning-evidence.ts';
import { objectKey, type ObjectKey, type Service } from '../base/kubernetes-objects.ts';
import type { LoadBalancerBinding } from './binding.ts';
import { addressesIn, wantsElastic } from './published-addresses.ts';
import { ownOf, withAddress, type OwnedInventory } from './load-balancers-by-owner.ts';
import type { ClassicLoadBalancerStatus } from './custom-resources.ts';

/** The load balancer that serves a Service. Rules compare this load balancer with the load balancer that a change requests. */
export interface BoundLoadBalancer {
  readonly id: string;
  /** True if the load balancer is owned; false if it is user-managed. */
  readonly isOwned: boolean;
  /** The address in the binding. */
  readonly address?: string;
}

/** Returns the load balancer in a binding. Undefined without a binding, or for a binding without a load balancer. */
export function boundBy(binding: LoadBalancerBinding | undefined): BoundLoadBalancer | undefined {
  const { id, use, address } = binding?.spec.loadBalancer ?? {};
  if (id === undefined) return undefined;
  return { id, isOwned: use === 'owned', ...(address === undefined ? {} : { address }) };
}

/** The inventory, indexed by owner and by load balancer id. */
export interface BoundInventory extends OwnedInventory {
  get(id: ObjectKey): { readonly status?: ClassicLoadBalancerStatus | undefined } | undefined;
}

/** Returns the load balancer of a binding, or undefined if a fresh inventory shows that the load balancer was deleted. */
export const unlessDeleted = (
  recorded: BoundLoadBalancer | undefined,
  inventory: Pick<BoundInventory, 'get'>,
  isFresh: boolean,
): BoundLoadBalancer | undefined =>
  recorded !== undefined && isFresh && inventory.get(objectKey(recorded.id)) === undefined ? undefined : recorded;

/** Returns whether a Service of this VPC may use a user-managed load balancer. A private address in another VPC is not reachable. */
const isReusable = ({ owner, addressType, vpcId }: ClassicLoadBalancerStatus, ownVpcId: string): boolean =>
  owner === 'user' && (addressType === 'internet' || ownVpcId === '' || vpcId === ownVpcId);

/** Returns the load balancer that serves a Service without a binding: owned, with a published address, or in a label. */
export function boundLoadBalancer(
  inventory: BoundInventory,
  service: Service,
  vpcId: string,
): BoundLoadBalancer | undefined {
  const own = ownOf(inventory, service);
  if (own !== undefined) return { id: own.metadata.name, isOwned: true };
  const published = addressesIn(service);
  const id =
    published
      .flatMap((address) => withAddress(inventory, address))
      .find(({ status }) => status !== undefined && isReusable(status, vpcId))?.metadata.name ??
    recordedId(inventory, service, published, vpcId);
  return id === undefined ? undefined : { id, isOwned: false };
}

/** Returns the user-managed load balancer in the label of a Service. Ignores the label if the status shows the load balancer's own address. */
function recordedId(inventory: BoundInventory, service: Service, published: readonly string[], vpcId: string) {
  const { options } = parseAnnotations(service.metadata.annotations);
  if (isPublished(service) && published.length > 0 && !wantsElastic(options)) return undefined;
  const id = recordedIdOf(service);
  const status = id === undefined ? undefined : inventory.get(objectKey(id))?.status;
  return status !== undefined && isReusable(status, vpcId) ? id : undefined;
}
