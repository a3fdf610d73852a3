import type { OptionName } from '../../annotation/catalogue.ts';
import { listenerDefaultOf } from '../../annotation/defaults.ts';
import type { ListenerProtocol } from '../../inventory/resource.ts';
import { BACKEND_PORT } from '../model/listener.ts';

type Fields = Readonly<Record<string, unknown>>;
type DesiredFields = Fields & { readonly protocol: ListenerProtocol };

/** Fields that the cloud takes only together: when one changes, all go. The first is the switch. */
const COUPLED: readonly (readonly string[])[] = [
  ['aclStatus', 'aclType', 'aclId'],
  ['connectionDrain', 'connectionDrainTimeout'],
  ['stickySession', 'stickySessionType', 'cookieTimeout', 'cookie'],
];
/** What changes together with a field, the field among it. */
export const coupledWith = (field: string): readonly string[] =>
  COUPLED.find((couple) => couple.includes(field)) ?? [field];

/** Fields that mean nothing, and are kept by the cloud at no value, unless another has this one. */
const MEANT_BY: Readonly<Record<string, readonly [field: string, value: string]>> = {
  aclType: ['aclStatus', 'on'],
  aclId: ['aclStatus', 'on'],
  connectionDrainTimeout: ['connectionDrain', 'on'],
  stickySessionType: ['stickySession', 'on'],
  cookieTimeout: ['stickySessionType', 'insert'],
  cookie: ['stickySessionType', 'server'],
};
/** A probe may take at least as long as until the next one: what is shorter counts as that long, and the cloud may say either. */
const AT_LEAST_THE_INTERVAL = new Set(['healthCheckConnectTimeout', 'healthCheckTimeout']);
/** The field of the health check timeout, by protocol. The option has the same name. */
const TIME_OUTS = {
  tcp: 'healthCheckConnectTimeout',
  udp: 'healthCheckConnectTimeout',
  http: 'healthCheckTimeout',
  https: 'healthCheckTimeout',
} as const satisfies Record<ListenerProtocol, OptionName>;
/** What is meant by the cloud's saying nothing of a field. */
const UNSAID: Fields = { proxyProtocolV2Enabled: false, healthCheckConnectPort: BACKEND_PORT };
const NOT_COMPARED = new Set([...['port', 'protocol', 'group', 'listenerForward', 'forwardPort'], 'domainExtensions']);

function isMoot(field: string, desired: Fields): boolean {
  const meant = MEANT_BY[field];
  return meant !== undefined && (desired[meant[0]] !== meant[1] || isMoot(meant[0], desired));
}

function isSame(field: string, desired: Fields, observed: Fields): boolean {
  const [wanted, has] = [desired[field], observed[field]];
  // Access lists are a set: their order says nothing.
  if (field === 'aclId') return asSet(wanted) === asSet(has);
  if (AT_LEAST_THE_INTERVAL.has(field) && has === raised(wanted, desired, observed)) return true;
  return wanted === (has ?? UNSAID[field]);
}

const raised = (seconds: unknown, desired: Fields, observed: Fields): number =>
  Math.max(Number(seconds), Number(desired['healthCheckInterval'] ?? observed['healthCheckInterval'] ?? 0));

const asSet = (list: unknown): string => (typeof list === 'string' ? list.split(',').sort().join(',') : '');

/**
 * A time-out that the cloud has raised to an interval goes back with it where nobody asks for one: else it would outlive what raised it.
 * What is remembered of it may be from before.
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

/** The attributes that the Service wants otherwise than they are. */
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
