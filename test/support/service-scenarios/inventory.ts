import { isDeepStrictEqual } from 'node:util';
import type { LoadBalancer } from '../../../src/clb/model/load-balancer.ts';
import { loadBalancerStatus, servicesByDefaultName } from '../../../src/inventory/load-balancer-status.ts';
import type { ClassicLoadBalancerStatus, Scheduler } from '../../../src/inventory/custom-resources.ts';
import { stateAt } from '../../../src/local/simulator/transition.ts';
import type { Simulator } from '../../../src/local/simulator/simulator.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';

/** Returns the inventory of a region, by the load balancer's id. Scenarios and fuzz tests publish it, in place of the inventory controller. */
export function inventoryOf(
  { world, time }: Simulator,
  services: readonly Service[],
  protectedIds: ReadonlySet<string>,
): ReadonlyMap<string, ClassicLoadBalancerStatus> {
  const belongings = { clusterId: 'c1', protectedIds, services: servicesByDefaultName(services) };
  return new Map(
    world.loadBalancers
      .rows()
      .map(({ id, name, address, addressType, ipVersion, vpcId, resourceGroupId, listeners }) => {
        const shown = { id, name, address, addressType, ipVersion, vpcId, resourceGroupId, status: 'active' };
        const loadBalancer = { ...shown, tags: world.tags.of('instance', id) } as unknown as LoadBalancer;
        const standing = [...listeners.values()].filter(({ status }) => stateAt(status, time.now()) !== 'gone');
        const ports = standing.map(({ port, protocol, attributes }) => ({
          port,
          protocol,
          description: String(attributes['Description']),
          scheduler: attributes['Scheduler'] as Scheduler,
        }));
        const isReusable =
          loadBalancer.tags['kubernetes.do.not.delete'] === undefined &&
          loadBalancer.tags['ack.aliyun.com'] === undefined;
        return [id, loadBalancerStatus(loadBalancer, isReusable ? ports : [], belongings)] as const;
      }),
  );
}

/** Returns the ids whose inventory objects must be written, and those to delete. */
export function outdated(
  now: ReadonlyMap<string, ClassicLoadBalancerStatus>,
  before: ReadonlyMap<string, ClassicLoadBalancerStatus>,
): {
  readonly written: readonly (readonly [string, ClassicLoadBalancerStatus])[];
  readonly removed: readonly string[];
} {
  return {
    written: [...now].filter(([id, status]) => !isDeepStrictEqual(before.get(id), status)),
    removed: [...before.keys()].filter((id) => !now.has(id)),
  };
}
