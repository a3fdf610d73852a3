import type { Action } from '../clb/model/action.ts';
import { parseName } from '../clb/model/naming.ts';
import type { Desired, DesiredGroup, Observed } from '../clb/model/desired-and-observed-state.ts';
import type { Plan } from '../plan/plan.ts';

/** The plan for one load balancer, with its observed and its desired state. `plan` and `graph` derive their output from these plans. */
export interface LoadBalancerPlan {
  readonly desired: Desired;
  readonly observed: Observed;
  readonly plan: Plan<Action>;
}

/** An address that a Service loses. `deleted`: the load balancer is deleted. `detached`: a user-managed load balancer keeps the address. */
export interface LostAddress {
  readonly address: string;
  readonly loadBalancer: string;
  readonly reason: 'deleted' | 'detached';
}

function lossBy(
  { desired, plan: { actions } }: LoadBalancerPlan,
  mayServe: boolean,
): LostAddress['reason'] | undefined {
  if (actions.some(({ kind }) => kind === 'delete-load-balancer')) return 'deleted';
  const isDetached = desired.kind === 'absent' && desired.use.kind === 'reused' && !desired.preserve;
  return isDetached && mayServe && actions.length > 0 ? 'detached' : undefined;
}

/** Returns the addresses that a Service loses. */
export const lostAddresses = (
  plans: readonly LoadBalancerPlan[],
  published: readonly string[],
): readonly LostAddress[] =>
  plans.flatMap((each) => {
    const { loadBalancer } = each.observed;
    if (loadBalancer === undefined) return [];
    const { id, address } = loadBalancer;
    // A change of the Service's type clears the published addresses. Without published addresses, every load balancer therefore counts as serving.
    const reason = lossBy(each, published.length === 0 || published.includes(address));
    return reason === undefined ? [] : [{ address, loadBalancer: id, reason }];
  });

/** Returns whether the group reaches Nodes on the node port. Ignores groups of pods, which may have an equal target port. */
const usesNodePort = ({ name, backends }: DesiredGroup, port: number): boolean =>
  parseName(name)?.port === String(port) && (backends.length === 0 || backends.some(({ type }) => type === 'ecs'));

/** Returns the numbers of `ports` that the plans use as node ports. The output marks only these assumed ports. */
export const usedNodePorts = (plans: readonly LoadBalancerPlan[], ports: readonly number[]): readonly number[] =>
  ports.filter((port) =>
    plans.some(
      ({ desired }) => desired.kind === 'present' && desired.groups.some((group) => usesNodePort(group, port)),
    ),
  );
