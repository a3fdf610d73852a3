import { omit } from '../../base/pick.ts';
import type { Plan, BlockedAction } from '../../plan/plan.ts';
import { applyGuards, blockWhere, type PlanGuard } from '../../plan/guard.ts';
import type { Action } from '../model/action.ts';
import { withoutForeignGroups, type GroupClaims } from './foreign-groups.ts';
import { withoutGroupsInUse } from './groups-in-use.ts';
import { isBackendSync, withDeferredDeletions } from './deferred-deletions.ts';
import { RESOURCE_KINDS, withoutUnusable, type Unusable } from './invalid-listener-references.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import { withoutBlockedByPolicy, type PolicyBlocks } from './policy-blocks.ts';
import { REUSED_TAG, type Owner } from '../model/naming.ts';
import { ownershipOf, type OwnershipEvidence } from '../model/ownership.ts';
import { wouldGoPublic } from '../model/forbidden-public-address.ts';
import { withoutReservedNames } from './reserved-names.ts';
import { findGroup, hasOwn, type Desired, type Observed, type Use } from '../model/desired-and-observed-state.ts';
import { withoutRejected, type RejectedBackends } from './rejected-backends.ts';
import { removeStaleBackends, type ServiceEndpoints } from './stale-backend-removal.ts';
import { withoutMissingGroups } from './uncreated-groups.ts';

/** The facts that decide which actions are permitted, in addition to the desired and the observed state. */
export interface GuardContext {
  /** Whether the status of the Service contains an address or a host name. */
  readonly isPublished: boolean;
  /** The facts that identify the owned load balancer if its owner tag is missing. */
  readonly evidence: OwnershipEvidence;
  /** Whether load balancers on the internet are forbidden. */
  readonly disablePublicSLB: boolean;
  /** The cluster's VPC; empty if unknown. */
  readonly vpcId: string;
  /** Load balancers that the controller must never touch. */
  readonly protectedIds: ReadonlySet<string>;
  /** Whether only backends are synced. */
  readonly syncsOnlyBackends: boolean;
  /** The restrictions of the Service by policies, quotas and the protection of user-managed load balancers. */
  readonly policyBlocks: PolicyBlocks;
  /** Certificates and access control lists that listeners cannot reference. */
  readonly unusable: Unusable;
  readonly rejectedBackends: RejectedBackends;
  readonly endpoints: ServiceEndpoints;
  /** The Services that name each user-managed server group of the load balancer. */
  readonly groupClaims: GroupClaims;
}

const blockAll =
  (rule: string, reason: string | undefined): PlanGuard<Action> =>
  (plan) =>
    reason === undefined ? plan : { actions: [], blocked: [...plan.blocked, { rule, reason }] };

type Reused = Extract<Use, { readonly kind: 'reused' }>;

function notForReuse(
  { id }: Reused,
  owner: Owner,
  observed: LoadBalancer | undefined,
  context: GuardContext,
): string | undefined {
  if (context.protectedIds.has(id)) return `load balancer ${id} is protected and cannot be used by Services`;
  if (observed === undefined)
    return context.isPublished
      ? undefined
      : `load balancer ${id} does not exist in this region; correct the annotation id, or remove the annotation to get a new load balancer`;
  const ownership = ownershipOf(owner, observed, context.evidence);
  if (ownership === 'owned')
    return `load balancer ${id} was created for this Service and is used automatically; remove the annotation id`;
  if (ownership === 'foreign')
    return `load balancer ${id} was created for another Service, another cluster or an API server; name a user-managed load balancer`;
  const isInOtherVpc = context.vpcId !== '' && (observed.vpcId ?? '') !== '' && observed.vpcId !== context.vpcId;
  return isInOtherVpc
    ? `load balancer ${id} is in another VPC; name a load balancer in the VPC of the cluster`
    : undefined;
}

/** Returns the reason if the load balancer of a Service without the annotation `id` is not owned. */
const whyForeign = (
  { owner, use }: Desired,
  observed: LoadBalancer | undefined,
  evidence: OwnershipEvidence,
): string | undefined =>
  observed === undefined || use.kind === 'reused' || ownershipOf(owner, observed, evidence) === 'owned'
    ? undefined
    : `load balancer ${observed.id} lacks the owner tag of this Service, so the load balancer is unchanged`;

const cannotReuse = ({ kind, use, owner }: Desired, observed: LoadBalancer | undefined, context: GuardContext) =>
  kind === 'present' && use.kind === 'reused' ? notForReuse(use, owner, observed, context) : undefined;

/** The rule, and the reason of the condition, if no load balancer with the published address exists. */
export const NOT_FOUND = 'LoadBalancerNotFound';

/** Returns the message for a published Service whose load balancer does not exist: possible causes and remedies. */
export function whyNotFound(published: readonly string[]): string {
  const which = published.length === 0 ? '' : ` with address ${published.join(', ')}`;
  return `no load balancer${which} serves this Service: the load balancer was deleted, or does not belong to this Service; to get a new address, clear status.loadBalancer, or change the type to ClusterIP and back; to keep the address, set the annotation id to a user-managed load balancer with the address`;
}

/**
 * Returns the message if a published Service has no load balancer. The controller creates no other load balancer, because the address would change.
 */
const whyNoLoadBalancer = ({ kind }: Desired, { loadBalancer }: Observed, { isPublished, evidence }: GuardContext) =>
  kind === 'present' && isPublished && loadBalancer === undefined ? whyNotFound(evidence.published) : undefined;

/** Returns whether the load balancer exists and the status publishes an address. */
const isServing = ({ loadBalancer }: Observed, { isPublished }: GuardContext): boolean =>
  isPublished && loadBalancer !== undefined;

/** Blocks all changes of a user-managed load balancer if an immutable attribute differs from the request. */
function withoutImmutableConflict(desired: Desired, observed: Observed, context: GuardContext): PlanGuard<Action> {
  const reason =
    'the load balancer is unchanged, because the Service requests a value that the cloud fixes at creation';
  return ({ actions, blocked }) =>
    desired.use.kind === 'reused' && blocked.some(({ rule }) => rule === 'Immutable')
      ? {
          // The backends of a serving load balancer still follow the endpoints.
          actions: isServing(observed, context)
            ? actions.filter((action) => isBackendSync(action, desired, observed))
            : [],
          blocked: [...blocked, { rule: 'Immutable', reason }],
        }
      : { actions, blocked };
}

/** Returns whether an action only syncs backends in a group that is named for the Service or has a backend of the Service. */
export function syncsOwnBackends(action: Action, desired: Desired, observed: Observed): boolean {
  const group = 'group' in action ? findGroup(observed, action.group) : undefined;
  return group !== undefined && hasOwn(desired.owner, group) && isBackendSync(action, desired, observed);
}

const createsForbiddenPublic = (action: Action, context: GuardContext): boolean =>
  action.kind === 'create-load-balancer' && wouldGoPublic(action.attributes.addressType, context);

/**
 * Returns whether a Service without a published address names an internet load balancer, although the cluster forbids load balancers on the internet.
 */
const namesForbidden = ({ kind, use }: Desired, observed: LoadBalancer | undefined, context: GuardContext): boolean =>
  kind === 'present' && use.kind === 'reused' && observed !== undefined && wouldGoPublic(observed.addressType, context);

/** Returns only the first reason to block the whole plan, because further reasons could reveal details of a foreign load balancer. */
function blockOfAll(desired: Desired, observed: Observed, context: GuardContext): BlockedAction<Action> | undefined {
  const { loadBalancer } = observed;
  const foreign = whyForeign(desired, loadBalancer, context.evidence) ?? cannotReuse(desired, loadBalancer, context);
  if (foreign !== undefined) return { rule: 'NotOwned', reason: foreign };
  const lost = whyNoLoadBalancer(desired, observed, context);
  if (lost !== undefined) return { rule: NOT_FOUND, reason: lost };
  const reason = 'this cluster forbids load balancers on the internet; name a load balancer with a private address';
  return namesForbidden(desired, loadBalancer, context) ? { rule: 'DisablePublicSLB', reason } : undefined;
}

/** Returns whether only backends are synced, because the load balancer serves the Service but must no longer be reused. */
const isBackendSyncOnly = (desired: Desired, observed: Observed, context: GuardContext): boolean =>
  observed.loadBalancer !== undefined &&
  cannotReuse(desired, observed.loadBalancer, context) !== undefined &&
  !context.protectedIds.has(observed.loadBalancer.id) &&
  isServing(observed, context);

/** Blocks the whole plan if the Service must not use the load balancer. */
const unlessDenied =
  (desired: Desired, observed: Observed, context: GuardContext): PlanGuard<Action> =>
  (plan) => {
    const block = blockOfAll(desired, observed, context);
    if (block === undefined) return plan;
    const isKept = isBackendSyncOnly(desired, observed, context);
    const actions = isKept ? plan.actions.filter((action) => syncsOwnBackends(action, desired, observed)) : [];
    // Earlier reasons could reveal details of the load balancer.
    return { actions, blocked: [block] };
  };

/** Returns why no load balancer is created: no port of the Service can be served. */
const noPortToServe = ({ actions, blocked }: Plan<Action>): string | undefined =>
  blocked.length > 0 &&
  actions.some(({ kind }) => kind === 'create-load-balancer') &&
  !actions.some(({ kind }) => kind === 'create-listener')
    ? 'no port of the Service can be synced'
    : undefined;

/** Omits the reuse tag for an unproven load balancer, because the tag would declare the load balancer as user-managed. */
const withoutReuseTag =
  ({ owner }: Desired, { loadBalancer }: Observed, evidence: OwnershipEvidence): PlanGuard<Action> =>
  (plan) =>
    loadBalancer !== undefined && ownershipOf(owner, loadBalancer, evidence) === 'unproven'
      ? { ...plan, actions: plan.actions.flatMap(omitReuseTag) }
      : plan;

function omitReuseTag(action: Action): readonly Action[] {
  if (action.kind !== 'tag') return [action];
  const tags = omit(action.tags, REUSED_TAG);
  return Object.keys(tags).length === 0 ? [] : [{ ...action, tags }];
}

/** Returns the permitted actions, and a reason for each blocked action. Adds removals of stale backends. */
export function guardPlan(
  plan: Plan<Action>,
  desired: Desired,
  observed: Observed,
  context: GuardContext,
): Plan<Action> {
  const parts: readonly PlanGuard<Action>[] = [
    withoutImmutableConflict(desired, observed, context),
    blockWhere('ReusedLoadBalancer', ({ kind }) =>
      desired.use.kind === 'reused' && kind === 'delete-load-balancer'
        ? 'the load balancer is user-managed'
        : undefined,
    ),
    (left) =>
      blockAll(
        'DisablePublicSLB',
        left.actions.some((action) => createsForbiddenPublic(action, context))
          ? 'this cluster forbids load balancers on the internet; set address-type to "intranet"'
          : undefined,
      )(left),
    withoutReservedNames(desired),
    withoutBlockedByPolicy(context.policyBlocks, observed),
    withoutForeignGroups(desired, observed, context.groupClaims),
    ...RESOURCE_KINDS.map((kind) => withoutUnusable(kind, context.unusable, observed)),
    (left) => blockAll('Invalid', noPortToServe(left))(left),
    withDeferredDeletions(desired, observed),
    withoutGroupsInUse(desired, observed),
    withoutReuseTag(desired, observed, context.evidence),
    blockWhere('Invalid', (action) =>
      context.syncsOnlyBackends && !isBackendSync(action, desired, observed)
        ? 'only backends are synced now'
        : undefined,
    ),
    withoutRejected(context.rejectedBackends, observed),
    withoutMissingGroups(observed),
  ];
  const requested = unlessDenied(desired, observed, context)(plan);
  return removeStaleBackends(
    { requested, remaining: applyGuards(requested, parts) },
    desired,
    observed,
    context.endpoints,
  );
}
