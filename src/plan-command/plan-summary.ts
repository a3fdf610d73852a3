import type { PortcullisError } from '../base/errors.ts';
import { EXIT } from '../base/exit-code.ts';
import type { ObjectKey } from '../base/kubernetes-objects.ts';
import { changesOf, type ChangeOperation, type ResourceChange } from './resource-changes.ts';
import type { PlanOutput } from './plan-schema.ts';
import type { ServicePlan } from './service-plan.ts';

/** The plan of a Service for the output of a command. */
export interface PlannedReport extends ServicePlan {
  readonly service: ObjectKey;
  /** The node ports that the plan assumes, because the API server has not assigned them yet. */
  readonly assumedPorts: readonly number[];
}

/** The result of planning for one Service. */
export type ServicePlanReport = PlannedReport | { readonly service: ObjectKey; readonly failure: PortcullisError };

/** Returns the changes of a Service by resource, for all outputs of a plan. */
export const reportedChanges = ({ parts }: ServicePlan): readonly ResourceChange[] => parts.flatMap(changesOf);

/** Returns the reasons of blocked actions, without duplicates. */
export const blockedReasons = ({ plan: { blocked } }: ServicePlan): readonly string[] => [
  ...new Set(blocked.map(({ rule, reason }) => `blocked (${rule}): ${reason}`)),
];

/** Returns the numbers of changes and problems of all Services. */
export function totals(all: readonly ServicePlanReport[]): PlanOutput['summary'] {
  const planned = all.filter((each) => 'plan' in each);
  const changes = planned.flatMap(reportedChanges);
  const number = (operation: ChangeOperation): number => changes.filter((each) => each.operation === operation).length;
  return {
    services: all.length,
    create: number('create'),
    change: number('change'),
    delete: number('delete'),
    denied: planned.filter(({ denied }) => denied.length > 0).length,
    failed: all.length - planned.length,
    blocked: planned.flatMap(blockedReasons).length,
    lostAddresses: planned.flatMap(({ lostAddresses }) => lostAddresses).length,
  };
}

/** Returns the numbers of a plan in one line: `3 Services: 1 to create, 2 to change, 0 to delete; 1 denied`. */
export function summary(all: readonly ServicePlanReport[]): string {
  const { services, lostAddresses, ...sum } = totals(all);
  const more = [
    `${sum.denied} denied`,
    ...(sum.failed === 0 ? [] : [`${sum.failed} failed`]),
    ...(sum.blocked === 0 ? [] : [`${sum.blocked} blocked change${sum.blocked === 1 ? '' : 's'}`]),
    ...(lostAddresses === 0 ? [] : [`${lostAddresses} address${lostAddresses === 1 ? '' : 'es'} lost`]),
  ];
  const of = `${services} Service${services === 1 ? '' : 's'}`;
  return `${of}: ${sum.create} to create, ${sum.change} to change, ${sum.delete} to delete; ${more.join(', ')}`;
}

/** Returns the exit code of `portcullis plan`: 1 if a Service is denied or its plan failed, 0 otherwise. */
export function exitCodeOf(all: readonly ServicePlanReport[]): number {
  const { denied, failed } = totals(all);
  return denied + failed > 0 ? EXIT.findings : EXIT.fine;
}
