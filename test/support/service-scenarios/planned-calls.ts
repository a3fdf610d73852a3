import type { Action, ActionKind } from '../../../src/clb/model/action.ts';
import type { JournalEntry } from '../../../src/local/simulator/simulator.ts';
import type { ServicePlanReport } from '../../../src/plan-command/plan-summary.ts';

type CallsOf = { readonly [Kind in ActionKind]: (action: Extract<Action, { readonly kind: Kind }>) => string };

/** The API operation that applies each action, from the documentation of the API rather than from the product. */
const CALLS: CallsOf = {
  'create-load-balancer': () => 'CreateLoadBalancer',
  rename: () => 'SetLoadBalancerName',
  'set-delete-protection': () => 'SetLoadBalancerDeleteProtection',
  'set-modification-protection': () => 'SetLoadBalancerModificationProtection',
  'set-spec': () => 'ModifyLoadBalancerInstanceSpec',
  'set-instance-charge-type': () => 'ModifyLoadBalancerInstanceChargeType',
  'set-internet-spec': () => 'ModifyLoadBalancerInternetSpec',
  tag: () => 'TagResources',
  untag: () => 'UntagResources',
  'create-server-group': () => 'CreateVServerGroup',
  'add-backends': () => 'AddVServerGroupBackendServers',
  'remove-backends': () => 'RemoveVServerGroupBackendServers',
  'update-backends': () => 'SetVServerGroupAttribute',
  'delete-server-group': () => 'DeleteVServerGroup',
  'create-listener': ({ listener }) => `CreateLoadBalancer${listener.protocol.toUpperCase()}Listener`,
  'start-listener': () => 'StartLoadBalancerListener',
  'update-listener': ({ listener }) => `SetLoadBalancer${listener.protocol.toUpperCase()}ListenerAttribute`,
  'delete-listener': () => 'DeleteLoadBalancerListener',
  'create-domain-extension': () => 'CreateDomainExtension',
  'set-domain-extension': () => 'SetDomainExtensionAttribute',
  'delete-domain-extension': () => 'DeleteDomainExtension',
  'delete-load-balancer': () => 'DeleteLoadBalancer',
};

const callOf = (action: Action): string => (CALLS[action.kind] as (action: Action) => string)(action);

const isSettled = (planned: ServicePlanReport): planned is Extract<ServicePlanReport, { readonly plan: object }> =>
  'plan' in planned && planned.denied.length === 0 && planned.plan.blocked.length === 0;

/** Returns whether the journal has exactly the changing calls of the plans, and all these calls took effect. Returns false without a plan. */
export function isAppliedAsPlanned(plans: readonly ServicePlanReport[], journal: readonly JournalEntry[]): boolean {
  if (plans.length === 0 || !plans.every(isSettled)) return false;
  const wanted = plans.flatMap(({ plan }) => plan.actions.map(callOf)).toSorted();
  const made = journal.filter(({ kind }) => kind === 'write');
  const names = made.map(({ action }) => action).toSorted();
  return made.every(({ outcome }) => outcome === 'OK') && wanted.join() === names.join();
}
