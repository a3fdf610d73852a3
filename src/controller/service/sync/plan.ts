import type { Action } from '../../../clb/model/action.ts';
import { diff } from '../../../clb/diff/diff.ts';
import type { GroupClaims } from '../../../clb/guards/foreign-groups.ts';
import { transferClaimed, type BackendClaims } from '../../../clb/diff/claimed-backend-transfer.ts';
import type { PolicyBlocks } from '../../../clb/guards/policy-blocks.ts';
import { NOTHING_UNUSABLE, RESOURCE_KINDS, type Unusable } from '../../../clb/guards/invalid-listener-references.ts';
import type { OwnershipEvidence } from '../../../clb/model/ownership.ts';
import { guardPlan } from '../../../clb/guards/guards.ts';
import type { RejectedBackends } from '../../../clb/guards/rejected-backends.ts';
import { isPublished } from '../../../clb/model/provisioning-evidence.ts';
import type { CallContext } from '../../../plan/call-context.ts';
import type { ClusterSettings } from '../../../clb/model/cluster-settings.ts';
import type { Desired, Observed, Use } from '../../../clb/model/desired-and-observed-state.ts';
import type { PortcullisError } from '../../../base/errors.ts';
import type { EndpointSlice, Service } from '../../../base/kubernetes-objects.ts';
import type { Plan } from '../../../plan/plan.ts';
import { findUnusable, noResourcesKnown, type KnownResources, type ResourceLookup } from './unusable-references.ts';
import { groupClaims } from '../../../inventory/group-claims.ts';
import type { KubernetesCaches } from '../../kubernetes-interface.ts';

/** A Service, and the state that its plan depends on. */
export interface PlanInputs {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  readonly evidence: OwnershipEvidence;
  readonly desired: Desired;
  readonly observed: Observed;
  /** True if only backends are synced. */
  readonly syncsOnlyBackends: boolean;
  /** Returns the claims of other Services on backends in user-managed server groups; no claims if undefined. */
  readonly backendClaims?: BackendClaims;
  /** The policy blocks on the desired state. */
  readonly policyBlocks: PolicyBlocks;
  /** Backends that the cloud rejected, and whose retry is not due yet; none if undefined. */
  readonly rejectedBackends?: RejectedBackends;
}

type ServicesCache = Pick<KubernetesCaches, 'services'>;

/** Returns the claims of stored Services on the server groups of a load balancer. */
export const claimsOn =
  (use: Use, { services }: ServicesCache): GroupClaims =>
  (group) =>
    use.kind === 'owned' ? [] : groupClaims(services, use.id, group);

export interface PlanningDeps extends ResourceLookup {
  readonly caches: ServicesCache;
  readonly settings: Pick<ClusterSettings, 'disablePublicSLB' | 'vpcId'>;
  readonly protectedIds: ReadonlySet<string>;
}

const NO_CLAIMS: BackendClaims = () => undefined;
const NONE: RejectedBackends = new Set();

function planWith(
  planned: PlanInputs,
  unusable: Unusable,
  { settings, protectedIds, caches }: PlanningDeps,
): Plan<Action> {
  const { service, desired, observed, evidence, backendClaims = NO_CLAIMS } = planned;
  return guardPlan(transferClaimed(diff(desired, observed), backendClaims), desired, observed, {
    isPublished: isPublished(service),
    evidence,
    disablePublicSLB: settings.disablePublicSLB,
    vpcId: settings.vpcId,
    protectedIds,
    syncsOnlyBackends: planned.syncsOnlyBackends,
    policyBlocks: planned.policyBlocks,
    unusable,
    rejectedBackends: planned.rejectedBackends ?? NONE,
    endpoints: planned,
    groupClaims: claimsOn(desired.use, caches),
  });
}

/** A plan, and the failure of a lookup if the plan lacks a part because of the failure. */
export interface CheckedPlan {
  readonly plan: Plan<Action>;
  readonly failure?: PortcullisError;
}

/** Returns the plan of a Service after the guards. Looks up only resources that the plan references. */
export async function planFor(
  planned: PlanInputs,
  deps: PlanningDeps,
  context: CallContext,
  known: KnownResources = noResourcesKnown(),
): Promise<CheckedPlan> {
  const plan = planWith(planned, NOTHING_UNUSABLE, deps);
  const { unusable, failure } = await findUnusable(plan, known, deps, context);
  const isAllUsable = RESOURCE_KINDS.every((kind) => unusable[kind].size === 0);
  return {
    plan: isAllUsable ? plan : planWith(planned, unusable, deps),
    ...(failure === undefined ? {} : { failure }),
  };
}
