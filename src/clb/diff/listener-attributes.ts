import type { OptionName } from '../../annotation/catalogue.ts';
import { listenerDefaultOf } from '../../annotation/defaults.ts';
import type { ListenerProtocol } from '../../inventory/resource.ts';
import { BACKEND_PORT } from '../model/listener.ts';

type Fields = Readonly<Record<string, unknown>>;
type DesiredFields = Fields & { readonly protocol: ListenerProtocol };

/** Fields that the cloud accepts only together: if a field changes, the call contains all of its group. The first field is the switch. */
const COUPLED: readonly (readonly string[])[] = [
  ['aclStatus', 'aclType', 'aclId'],
  ['connectionDrain', 'connectionDrainTimeout'],
  ['stickySession', 'stickySessionType', 'cookieTimeout', 'cookie'],
];
/** Returns the fields that change together with a field, including the field itself. */
export const coupledWith = (field: string): readonly string[] =>
  COUPLED.find((couple) => couple.includes(field)) ?? [field];

/** Fields that apply only if another field has the given value. Otherwise the cloud keeps no value for them. */
const MEANT_BY: Readonly<Record<string, readonly [field: string, value: string]>> = {
  aclType: ['aclStatus', 'on'],
  aclId: ['aclStatus', 'on'],
  connectionDrainTimeout: ['connectionDrain', 'on'],
  stickySessionType: ['stickySession', 'on'],
  cookieTimeout: ['stickySessionType', 'insert'],
  cookie: ['stickySessionType', 'server'],
};
/** Time-outs that the cloud may raise to the health check interval. The cloud reports either value. */
const AT_LEAST_THE_INTERVAL = new Set(['healthCheckConnectTimeout', 'healthCheckTimeout']);
/** The field of the health check timeout, by protocol. The option has the same name. */
const TIME_OUTS = {
  tcp: 'healthCheckConnectTimeout',
  udp: 'healthCheckConnectTimeout',
  http: 'healthCheckTimeout',
  https: 'healthCheckTimeout',
} as const satisfies Record<ListenerProtocol, OptionName>;
/** The values of fields that the cloud omits. */
const UNSAID: Fields = { proxyProtocolV2Enabled: false, healthCheckConnectPort: BACKEND_PORT };
const NOT_COMPARED = new Set([...['port', 'protocol', 'group', 'listenerForward', 'forwardPort'], 'domainExtensions']);

function isMoot(field: string, desired: Fields): boolean {
  const meant = MEANT_BY[field];
  return meant !== undefined && (desired[meant[0]] !== meant[1] || isMoot(meant[0], desired));
}

function isSame(field: string, desired: Fields, observed: Fields): boolean {
  const [wanted, has] = [desired[field], observed[field]];
  // The ids of access control lists are a set: their order has no effect.
  if (field === 'aclId') return asSet(wanted) === asSet(has);
  if (AT_LEAST_THE_INTERVAL.has(field) && has === raised(wanted, desired, observed)) return true;
  return wanted === (has ?? UNSAID[field]);
}

const raised = (seconds: unknown, desired: Fields, observed: Fields): number =>
  Math.max(Number(seconds), Number(desired['healthCheckInterval'] ?? observed['healthCheckInterval'] ?? 0));

const asSet = (list: unknown): string => (typeof list === 'string' ? list.split(',').sort().join(',') : '');

/**
 * Returns the time-out to lower together with its interval if no annotation sets it. Otherwise the raised value would outlive the interval that
 * raised it. The observed time-out may be from before the raise.
 */
function loweredTimeOut(desired: DesiredFields, observed: Fields): Fields {
  const [wanted, has] = [desired['healthCheckInterval'], observed['healthCheckInterval']];
  if (typeof wanted !== 'number' || typeof has !== 'number' || wanted >= has) return {};
  const { protocol } = desired;
  const field = TIME_OUTS[protocol];
  const back = Math.max(Number(listenerDefaultOf(field, protocol)), wanted);
  const isRaised = desired[field] === undefined && Number(observed[field] ?? 0) <= has && back < has;
  return isRaised ? { [field]: back } : {};
}

/** Returns the attributes whose desired values differ from the observed values. */
export function changedAttributes(desired: DesiredFields, observed: Fields): Fields {
  const changed = Object.keys(desired).filter(
    (field) => !NOT_COMPARED.has(field) && !isMoot(field, desired) && !isSame(field, desired, observed),
  );
  const together = COUPLED.filter((couple) => couple.some((field) => changed.includes(field))).flat();
  const fields = new Set([...changed, ...together]);
  const set = [...fields]
    .map((field) => [field, desired[field] ?? observed[field]] as const)
    .filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(set), ...loweredTimeOut(desired, observed) };
}
