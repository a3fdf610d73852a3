import { describeAction, type Action } from '../clb/model/action.ts';
import type { PortcullisError } from '../base/errors.ts';
import { EXIT } from '../base/exit-code.ts';
import type { ObjectKey } from '../base/objects.ts';
import type { ServicePlan } from './service-plan.ts';

/** The result of planning for one Service. */
export type ServicePlanReport = { readonly service: ObjectKey } & (ServicePlan | { readonly failure: PortcullisError });

const changesOf = (planned: ServicePlanReport): number => ('plan' in planned ? planned.plan.actions.length : 0);

/** Returns the lines of a Service. Equal reasons of blocked actions appear once. */
function linesOf(planned: ServicePlanReport): readonly string[] {
  if ('failure' in planned) return [`could not be planned for: ${planned.failure.message}`];
  const { denied, plan } = planned;
  const blocked = new Map<string, string>();
  for (const { rule, reason } of plan.blocked) blocked.set(`${rule} ${reason}`, `blocked (${rule}): ${reason}`);
  const lines = [...denied.map((why) => `denied: ${why}`), ...plan.actions.map(describeAction), ...blocked.values()];
  return lines.length === 0 ? ['nothing to do'] : lines;
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** Returns the report. With several Services it omits those without changes or problems. */
export function textReport(all: readonly ServicePlanReport[]): string {
  const reports = all.map((planned) => ({ planned, lines: linesOf(planned) }));
  const shown = all.length === 1 ? reports : reports.filter(({ lines }) => lines.join() !== 'nothing to do');
  return shown
    .map(({ planned, lines }) => [`Service ${planned.service}`, ...lines.map((line) => `  ${line}`), ''].join('\n'))
    .join('\n');
}

export function summary(all: readonly ServicePlanReport[]): string {
  const changes = all.reduce((sum, planned) => sum + changesOf(planned), 0);
  const failures = all.filter((planned) => 'failure' in planned).length;
  const failureText = failures === 0 ? '' : `; ${count(failures, 'Service')} could not be planned for`;
  return `${count(all.length, 'Service')}, ${count(changes, 'call')} that would change something${failureText}; nothing was changed`;
}

/** Returns the exit code. A failed plan takes precedence over a denied Service. */
export function exitCodeOf(all: readonly ServicePlanReport[]): number {
  if (all.some((each) => 'failure' in each)) return EXIT.failed;
  return all.some((each) => 'denied' in each && each.denied.length > 0) ? EXIT.findings : EXIT.fine;
}

/** Returns one Service as data. Each action has its description as an additional field. */
export function planJson(planned: ServicePlanReport): object {
  const { service } = planned;
  if ('failure' in planned) {
    const { reason, message, requestId } = planned.failure;
    return { service, failure: { reason, message, ...(requestId === undefined ? {} : { requestId }) } };
  }
  const { denied, plan } = planned;
  const withText = (action: Action): object => ({ ...action, text: describeAction(action) });
  const blocked = plan.blocked.map(({ action, ...why }) =>
    action === undefined ? why : { ...why, action: withText(action) },
  );
  return { service, denied, actions: plan.actions.map(withText), blocked };
}
