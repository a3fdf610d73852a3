import type { OptionName } from '../../annotation/catalogue.ts';
import { listenerDefaultOf } from '../../annotation/default-lookup.ts';
import type { ListenerProtocol } from '../../inventory/custom-resources.ts';
import { BACKEND_PORT } from '../model/listener.ts';

type Fields = Readonly<Record<string, unknown>>;
type DesiredFields = Fields & { readonly protocol: ListenerProtocol };

/** Groups of fields that the cloud accepts only together, so that a call that changes a field contains all fields of its group. */
const COUPLED: readonly (readonly string[])[] = [
  ['aclStatus', 'aclType', 'aclId'],
  ['connectionDrain', 'connectionDrainTimeout'],
  ['stickySession', 'stickySessionType', 'cookieTimeout', 'cookie'],
];
/** Returns the fields that change together with a field, including the field itself. */
export const coupledWith = (field: string): readonly string[] =>
  COUPLED.find((couple) => couple.includes(field)) ?? [field];

/** Fields that apply only if another field has the given value. In all other cases, the cloud stores no value for the field. */
const APPLIES_IF: Readonly<Record<string, readonly [field: string, value: string]>> = {
  aclType: ['aclStatus', 'on'],
  aclId: ['aclStatus', 'on'],
  connectionDrainTimeout: ['connectionDrain', 'on'],
  stickySessionType: ['stickySession', 'on'],
  cookieTimeout: ['stickySessionType', 'insert'],
  cookie: ['stickySessionType', 'server'],
};
/** Timeouts that the cloud may raise to the health check interval, so that the observed value can be the interval. */
const RAISED_TO_INTERVAL = new Set(['healthCheckConnectTimeout', 'healthCheckTimeout']);
/** The field of the health check timeout, by protocol. The option of the annotation has the same name. */
const TIMEOUTS = {
  tcp: 'healthCheckConnectTimeout',
  udp: 'healthCheckConnectTimeout',
  http: 'healthCheckTimeout',
  https: 'healthCheckTimeout',
} as const satisfies Record<ListenerProtocol, OptionName>;
/** The values of fields that the cloud omits from its responses. */
const OMITTED_VALUES: Fields = { proxyProtocolV2Enabled: false, healthCheckConnectPort: BACKEND_PORT };
const NOT_COMPARED = new Set([...['port', 'protocol', 'group', 'listenerForward', 'forwardPort'], 'domainExtensions']);

function hasNoEffect(field: string, desired: Fields): boolean {
  const condition = APPLIES_IF[field];
  return condition !== undefined && (desired[condition[0]] !== condition[1] || hasNoEffect(condition[0], desired));
}

function isSame(field: string, desired: Fields, observed: Fields): boolean {
  const [wanted, has] = [desired[field], observed[field]];
  // The order of access control lists has no effect.
  if (field === 'aclId') return asSet(wanted) === asSet(has);
  if (RAISED_TO_INTERVAL.has(field) && has === raised(wanted, desired, observed)) return true;
  return wanted === (has ?? OMITTED_VALUES[field]);
}

const raised = (seconds: unknown, desired: Fields, observed: Fields): number =>
  Math.max(Number(seconds), Number(desired['healthCheckInterval'] ?? observed['healthCheckInterval'] ?? 0));

const asSet = (list: unknown): string => (typeof list === 'string' ? list.split(',').sort().join(',') : '');

/** Returns the health check timeout to set with a lower interval, because the cloud may have raised the timeout to the old interval. */
function loweredTimeout(desired: DesiredFields, observed: Fields): Fields {
  const [wanted, has] = [desired['healthCheckInterval'], observed['healthCheckInterval']];
  if (typeof wanted !== 'number' || typeof has !== 'number' || wanted >= has) return {};
  const { protocol } = desired;
  const field = TIMEOUTS[protocol];
  const back = Math.max(Number(listenerDefaultOf(field, protocol)), wanted);
  const isRaised = desired[field] === undefined && Number(observed[field] ?? 0) <= has && back < has;
  return isRaised ? { [field]: back } : {};
}

/** Returns the attributes for an update of a listener; empty if no attribute differs. */
export function changedAttributes(desired: DesiredFields, observed: Fields): Fields {
  const changed = Object.keys(desired).filter(
    (field) => !NOT_COMPARED.has(field) && !hasNoEffect(field, desired) && !isSame(field, desired, observed),
  );
  const together = COUPLED.filter((couple) => couple.some((field) => changed.includes(field))).flat();
  const fields = new Set([...changed, ...together]);
  const set = [...fields]
    .map((field) => [field, desired[field] ?? observed[field]] as const)
    .filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(set), ...loweredTimeout(desired, observed) };
}
