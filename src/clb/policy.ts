import type { Plan, Withheld } from '../plan/plan.ts';
import { applyPolicies, withholdWhere, type PlanPolicy } from '../plan/policy.ts';
import type { Action } from './action.ts';
import { withoutForeignGroups, type GroupClaims } from './group-owner.ts';
import { withoutGroupsInUse } from './groups-in-use.ts';
import { isUpkeep, nothingBlindly } from './kept.ts';
import { RESOURCE_KINDS, withoutUnusable, type Unusable } from './listener-resources.ts';
import type { LoadBalancer } from './load-balancer.ts';
import { withoutObjected, type Objections } from './objection.ts';
import { isMadeByKubernetes, isMadeFor, type Owner } from './naming.ts';
import { notMine, type Saying } from './ownership.ts';
import { wouldGoPublic } from './public-address.ts';
import { withoutReservedNames } from './reserved-names.ts';
import { findGroup, hasOwn, type Desired, type Observed, type Use } from './state.ts';
import { withoutRefused, type RefusedBackends } from './refused-backends.ts';
import { isAnother, type Told } from './told.ts';
import { withStraysGone, type Places } from './strays.ts';
import { withoutUnmade } from './unmade-groups.ts';

/** What decides, beside the two states, what may be done. */
export interface Circumstances extends Told {
  /** Whether the Service has told the world where it is to be reached. */
  readonly isPublished: boolean;
  /** All that it says by which its own load balancer is known. */
  readonly saying: Saying;
  /** Whether load balancers on the internet are forbidden. */
  readonly disablePublicSLB: boolean;
  /** The cluster's VPC; empty if unknown. */
  readonly vpcId: string;
  /** Load balancers that are never to be touched. */
  readonly protectedIds: ReadonlySet<string>;
  /** Whether the rules refuse the Service as it is stored. */
  readonly isRefused: boolean;
  /** What policies of the cluster have against it. */
  readonly objections: Objections;
  /** Certificates and access control lists that listeners cannot reference. */
  readonly unusable: Unusable;
  readonly refused: RefusedBackends;
  readonly places: Places;
  /** The Services that name each user-managed server group of the load balancer. */
  readonly groupClaims: GroupClaims;
}

/** Nothing at all is done, and why. */
const refuse =
  (rule: string, reason: string | undefined): PlanPolicy<Action> =>
  (plan) =>
    reason === undefined ? plan : { actions: [], withheld: [...plan.withheld, { rule, reason }] };

type Reused = Extract<Use, { readonly kind: 'reused' }>;

function notForReuse(
  { id }: Reused,
  owner: Owner,
  observed: LoadBalancer | undefined,
  around: Circumstances,
): string | undefined {
  if (around.protectedIds.has(id)) return `load balancer ${id} is protected and cannot be used by Services`;
  if (observed === undefined)
    return `load balancer ${id} does not exist in this region; correct the annotation id, or remove it to get one made`;
  if (isMadeFor(owner, observed.tags))
    return `load balancer ${id} is the Service's own, which is found without being named; take the annotation id away`;
  if (isMadeByKubernetes(observed.tags))
    return `load balancer ${id} was made by Kubernetes, for another Service or for an API server; name one that was made by hand`;
  const isElsewhere = around.vpcId !== '' && (observed.vpcId ?? '') !== '' && observed.vpcId !== around.vpcId;
  return isElsewhere ? `load balancer ${id} is not in the cluster's VPC; name one that is` : undefined;
}

const cannotReuse = ({ kind, use, owner }: Desired, observed: LoadBalancer | undefined, around: Circumstances) =>
  kind === 'present' && use.kind === 'reused' ? notForReuse(use, owner, observed, around) : undefined;

/** Why a Service that has told where it is to be reached has no load balancer of its own, and what to do. */
function lost({ strangerId }: Observed, { published, recordedId }: Circumstances): string {
  if (strangerId !== undefined)
    return `the Service is served by load balancer ${strangerId}, which is not marked as made for it, and no annotation id names it any more; set the annotation id back to ${strangerId}, or delete the Service and create it again to get a load balancer of its own`;
  const which = `the load balancer${published.length === 0 ? '' : ` of ${published.join(', ')}`} is gone`;
  const why = recordedId === undefined ? `${which}, or its annotation id was taken away (then set it again)` : which;
  return `${why}, and another one would have another address; delete the Service and create it again`;
}

/** The address that a Service has told the world is not changed under it, nor what is behind the host name that it has told. */
function swaps({ kind, use }: Desired, there: Observed, around: Circumstances): string | undefined {
  const { loadBalancer: observed } = there;
  const { isPublished, published, recordedId } = around;
  if (kind === 'absent' || !isPublished) return undefined;
  if (observed === undefined) return use.kind === 'owned' ? lost(there, around) : undefined;
  if (use.kind === 'owned') return undefined;
  if (isAnother(observed, around) !== true) return undefined;
  const [has, not] =
    published.length > 0
      ? [published.join(', '), `load balancer ${observed.id} has ${observed.address}`]
      : [`load balancer ${recordedId ?? ''}`, `not ${observed.id}`];
  return `the Service already has ${has}, and ${not}; delete the Service and create it again to change load balancers`;
}

/** Whether a load balancer of people serves the Service, as far as it is told. */
const isServing = ({ loadBalancer }: Observed, around: Circumstances): boolean =>
  around.isPublished && loadBalancer !== undefined && isAnother(loadBalancer, around) !== true;

/**
 * A load balancer of people that does not have what the Service asks for is left alone. The Service that it serves all the same
 * keeps its backends: what it asks for in vain takes nothing away from it.
 */
function misfits(desired: Desired, observed: Observed, around: Circumstances): PlanPolicy<Action> {
  const reason =
    'the load balancer does not have what the Service asks for, and it cannot be changed; it is left alone';
  return ({ actions, withheld }) =>
    desired.use.kind === 'reused' && withheld.some(({ rule }) => rule === 'Immutable')
      ? {
          actions: isServing(observed, around) ? actions.filter((action) => isUpkeep(action, desired, observed)) : [],
          withheld: [...withheld, { rule: 'Immutable', reason }],
        }
      : { actions, withheld };
}

/** Whether an action does no more than follow endpoints in a group that has something of the Service. */
function isOnOwn(action: Action, desired: Desired, observed: Observed): boolean {
  const group = 'group' in action ? findGroup(observed, action.group) : undefined;
  return group !== undefined && hasOwn(desired.owner, group) && isUpkeep(action, desired, observed);
}

const isForbidden = (action: Action, around: Circumstances): boolean =>
  action.kind === 'create-load-balancer' && wouldGoPublic(action.attributes.addressType, around);

/** Whether a Service names a load balancer of people by which it must not be reached. */
const namesForbidden = ({ kind, use }: Desired, observed: LoadBalancer | undefined, around: Circumstances): boolean =>
  kind === 'present' && use.kind === 'reused' && observed !== undefined && wouldGoPublic(observed.addressType, around);

/** Why nothing of what a Service asks for is done: the first reason alone, as the others would tell of a load balancer that is another's. */
function objectionToAll(desired: Desired, observed: Observed, around: Circumstances): Withheld<Action> | undefined {
  const { loadBalancer } = observed;
  const foreign = notMine(desired, loadBalancer, around.saying) ?? cannotReuse(desired, loadBalancer, around);
  if (foreign !== undefined) return { rule: 'OnlyMine', reason: foreign };
  const swap = swaps(desired, observed, around);
  if (swap !== undefined) return { rule: 'StatusTruth', reason: swap };
  const reason = 'this cluster allows no load balancers on the internet; name one with a private address';
  return namesForbidden(desired, loadBalancer, around) ? { rule: 'DisablePublicSLB', reason } : undefined;
}

/** Whether what is the Service's in a load balancer that is not for reuse, as somebody has marked it since, is kept up for as long as it serves. */
const isKeptUp = (desired: Desired, observed: Observed, around: Circumstances): boolean =>
  observed.loadBalancer !== undefined &&
  cannotReuse(desired, observed.loadBalancer, around) !== undefined &&
  !around.protectedIds.has(observed.loadBalancer.id) &&
  isServing(observed, around);

/** What was withheld before is of a load balancer that the Service is not to have: it is not told. */
const unlessRefused =
  (desired: Desired, observed: Observed, around: Circumstances): PlanPolicy<Action> =>
  (plan) => {
    const refusal = objectionToAll(desired, observed, around);
    if (refusal === undefined) return plan;
    const isKept = isKeptUp(desired, observed, around);
    const actions = isKept ? plan.actions.filter((action) => isOnOwn(action, desired, observed)) : [];
    return { actions, withheld: [refusal] };
  };

/** A load balancer none of whose ports can be carried out is not made at all. */
const nothingToServe = ({ actions, withheld }: Plan<Action>): string | undefined =>
  withheld.length > 0 &&
  actions.some(({ kind }) => kind === 'create-load-balancer') &&
  !actions.some(({ kind }) => kind === 'create-listener')
    ? 'none of its ports can be carried out'
    : undefined;

/** The mark of a load balancer that people have brought stays for as long as something of the Service does. */
const marked =
  ({ kind }: Desired): PlanPolicy<Action> =>
  (plan) =>
    kind === 'absent' && plan.withheld.length > 0
      ? { ...plan, actions: plan.actions.filter((action) => action.kind !== 'untag') }
      : plan;

/** The plan without what must not be done, each with its reason. */
export function permitted(
  plan: Plan<Action>,
  desired: Desired,
  observed: Observed,
  around: Circumstances,
): Plan<Action> {
  const parts: readonly PlanPolicy<Action>[] = [
    misfits(desired, observed, around),
    withholdWhere('ReusedLBSurvives', ({ kind }) =>
      desired.use.kind === 'reused' && kind === 'delete-load-balancer' ? 'it was not made for this Service' : undefined,
    ),
    (left) =>
      refuse(
        'DisablePublicSLB',
        left.actions.some((action) => isForbidden(action, around))
          ? 'this cluster allows no load balancers on the internet; set address-type to "intranet"'
          : undefined,
      )(left),
    withoutReservedNames(desired),
    withoutObjected(around.objections, observed),
    withoutForeignGroups(desired, observed, around.groupClaims),
    ...RESOURCE_KINDS.map((kind) => withoutUnusable(kind, around.unusable, observed)),
    (left) => refuse('InvalidObject', nothingToServe(left))(left),
    nothingBlindly(desired, observed),
    withoutGroupsInUse(desired, observed),
    marked(desired),
    withholdWhere('InvalidObject', (action) =>
      around.isRefused && !isUpkeep(action, desired, observed)
        ? 'the Service is not valid; only its backends are kept up'
        : undefined,
    ),
    withoutRefused(around.refused, observed),
    withoutUnmade(observed),
  ];
  const asked = unlessRefused(desired, observed, around)(plan);
  return withStraysGone({ asked, left: applyPolicies(asked, parts) }, desired, observed, around.places);
}
