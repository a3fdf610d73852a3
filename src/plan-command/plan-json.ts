import { describeAction, type Action } from '../clb/model/action.ts';
import type { PlanOutput, ServiceOutput } from './plan-schema.ts';
import { reportedChanges, totals, type ServicePlanReport } from './plan-summary.ts';

type ActionOutput = Extract<ServiceOutput, { readonly changes: object }>['actions'][number];

const actionJson = (action: Action): ActionOutput => ({ ...action, text: describeAction(action) });

/** Returns the plan of one Service as data, for `-o json` and the log of `--dry-run`. */
export function serviceJson(report: ServicePlanReport): ServiceOutput {
  const { service } = report;
  if ('failure' in report) {
    const { reason, message, requestId } = report.failure;
    return { service, failure: { reason, message, ...(requestId === undefined ? {} : { requestId }) } };
  }
  const { denied, parts, plan, lostAddresses, assumedPorts } = report;
  return {
    service,
    loadBalancers: parts.flatMap(({ observed: { loadBalancer } }) =>
      loadBalancer === undefined ? [] : [{ id: loadBalancer.id, address: loadBalancer.address }],
    ),
    denied: [...denied],
    changes: reportedChanges(report).map((change) => ({ ...change, fields: [...change.fields] })),
    lostAddresses: [...lostAddresses],
    assumedNodePorts: [...assumedPorts],
    actions: plan.actions.map(actionJson),
    blocked: plan.blocked.map(({ action, ...why }) =>
      action === undefined ? why : { ...why, action: actionJson(action) },
    ),
  };
}

/** Returns the plans of all Services as data, for `-o json`. */
export const planJson = (all: readonly ServicePlanReport[]): PlanOutput => ({
  services: all.map(serviceJson),
  summary: totals(all),
});
