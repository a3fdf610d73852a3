import { messageKey } from '../../../inventory/condition-message-key.ts';
import { LOAD_BALANCER_READY } from '../../../inventory/load-balancer-ready-condition.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';

/** The published readiness of a Service's load balancer. */
export interface ReadinessState {
  readonly status: 'True' | 'False';
  /** A word in CamelCase for programs: the reason of an event or an error, or the name of a blocking cause. */
  readonly reason: string;
  /** The text for users, at most `CONDITION_BYTES`. */
  readonly message: string;
}

type Condition = NonNullable<NonNullable<Service['status']>['conditions']>[number];

const conditionsOf = ({ status }: Service): readonly Condition[] => status?.conditions ?? [];
const isReadinessCondition = ({ type }: Condition): boolean => type === LOAD_BALANCER_READY;
const comparable = ({ status, reason, message }: ReadinessState | Condition): string =>
  [status, reason, messageKey(message)].join('\n');

/** Returns whether this controller has published a condition, and so has reconciled the Service before. */
export const hasCondition = (service: Service): boolean => conditionsOf(service).some(isReadinessCondition);

/** The conditions of a strategic merge patch, which writes or removes the controller's condition and keeps all other conditions. */
export type ConditionPatch = readonly Condition[] | readonly { readonly type: string; readonly $patch: 'delete' }[];

/** Returns whether the condition of the Service already shows a state. */
export function isConditionUpToDate(service: Service, readiness: ReadinessState): boolean {
  const before = conditionsOf(service).find(isReadinessCondition);
  return before !== undefined && comparable(before) === comparable(readiness);
}

/** Returns the state that the condition of the Service shows; undefined without a condition. */
export function publishedReadiness(service: Service): ReadinessState | undefined {
  const shown = conditionsOf(service).find(isReadinessCondition);
  if (shown === undefined) return undefined;
  const { status, reason, message } = shown;
  return { status: status === 'True' ? status : 'False', reason, message };
}

/** Returns the patch that writes the condition `LoadBalancerReady`; undefined if the condition already shows the state. */
export function conditionPatch(
  service: Service,
  readiness: ReadinessState,
  nowMs: number,
): readonly Condition[] | undefined {
  if (isConditionUpToDate(service, readiness)) return undefined;
  const before = conditionsOf(service).find(isReadinessCondition);
  const now = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const { generation } = service.metadata;
  const condition: Condition = {
    type: LOAD_BALANCER_READY,
    status: readiness.status,
    reason: readiness.reason,
    message: readiness.message,
    lastTransitionTime: before?.status === readiness.status ? before.lastTransitionTime : now,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  return [condition];
}

/** Returns the patch that removes the condition; undefined without a condition. */
export const withoutCondition = (service: Service): ConditionPatch | undefined =>
  hasCondition(service) ? [{ type: LOAD_BALANCER_READY, $patch: 'delete' }] : undefined;
