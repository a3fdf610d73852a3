import { messageKey } from '../../../inventory/kept-status.ts';
import { LOAD_BALANCER_READY } from '../../../inventory/service-conditions.ts';
import type { Service } from '../../../base/objects.ts';

/** How a Service stands. */
export interface ReadinessState {
  readonly status: 'True' | 'False';
  /** One word in capitals and small letters, for programs: the reason of an event or an error, or the name of what stands in the way. */
  readonly reason: string;
  /** For people; at most `CONDITION_BYTES`. */
  readonly message: string;
}

type Condition = NonNullable<NonNullable<Service['status']>['conditions']>[number];

const conditionsOf = ({ status }: Service): readonly Condition[] => status?.conditions ?? [];
const isOurs = ({ type }: Condition): boolean => type === LOAD_BALANCER_READY;
const comparable = ({ status, reason, message }: ReadinessState | Condition): string =>
  [status, reason, messageKey(message)].join('\n');

/** Whether this program has said how a Service stands: it has looked after it, in vain perhaps. */
export const hasCondition = (service: Service): boolean => conditionsOf(service).some(isOurs);

/** The conditions of a strategic merge patch: it writes or removes ours, and leaves those of others as they are. */
export type ConditionPatch = readonly Condition[] | readonly { readonly type: string; readonly $patch: 'delete' }[];

/** Returns whether the condition of the Service is up to date. */
export function isConditionUpToDate(service: Service, standing: ReadinessState): boolean {
  const before = conditionsOf(service).find(isOurs);
  return before !== undefined && comparable(before) === comparable(standing);
}

/** Returns what the condition of the Service shows; undefined without a condition. */
export function shownBy(service: Service): ReadinessState | undefined {
  const shown = conditionsOf(service).find(isOurs);
  if (shown === undefined) return undefined;
  const { status, reason, message } = shown;
  return { status: status === 'True' ? status : 'False', reason, message };
}

/** What to write so that the Service says how it stands; absent where it says so already. */
export function conditionPatch(
  service: Service,
  standing: ReadinessState,
  nowMs: number,
): readonly Condition[] | undefined {
  if (isConditionUpToDate(service, standing)) return undefined;
  const before = conditionsOf(service).find(isOurs);
  const now = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const { generation } = service.metadata;
  const condition: Condition = {
    type: LOAD_BALANCER_READY,
    status: standing.status,
    reason: standing.reason,
    message: standing.message,
    lastTransitionTime: before?.status === standing.status ? before.lastTransitionTime : now,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  return [condition];
}

/** What to write so that the Service says nothing of load balancers any more; absent where it does not. */
export const withoutCondition = (service: Service): ConditionPatch | undefined =>
  hasCondition(service) ? [{ type: LOAD_BALANCER_READY, $patch: 'delete' }] : undefined;
