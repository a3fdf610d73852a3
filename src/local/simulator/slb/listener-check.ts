import { CloudError } from '../error.ts';
import type { OperationContext } from '../operation.ts';
import type { ListenerRow, LoadBalancerRow, ProtocolValue } from './table-rows.ts';
import { listenersOf } from './common-parameters.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A listener in the state after the creation or change that a call requests. */
export interface Proposal {
  readonly balancer: LoadBalancerRow;
  readonly protocol: ProtocolValue;
  readonly port: number;
  /** The attributes of the listener after the change. */
  readonly attributes: Attributes;
}

type Check = (proposal: Proposal, context: OperationContext) => void;

const textOf = (attributes: Attributes, name: string): string => String(attributes[name] ?? '');

/** Throws `MissingParameter` if the attribute has no value. */
const requireAttribute = (attributes: Attributes, name: string, because: string): void => {
  if (attributes[name] === undefined) throw new CloudError('MissingParameter', `${name} is required when ${because}.`);
};

const checkGroup: Check = ({ balancer, attributes }, { world }) => {
  const id = textOf(attributes, 'VServerGroupId');
  if (id === '') {
    if (attributes['ListenerForward'] === 'on' || attributes['BackendServerPort'] !== undefined) return;
    throw new CloudError('MissingParameter', 'Either BackendServerPort or VServerGroupId is required.');
  }
  const group = world.serverGroups.get(id);
  if (group === undefined)
    throw new CloudError('InvalidParameter', 'The specified VServerGroupId does not exist.', 404);
  if (group.loadBalancerId !== balancer.id) {
    throw new CloudError('InvalidParam.VServerGroupId', `The server group ${id} belongs to another load balancer.`);
  }
};

/** Returns the number of listeners that use an access control list. Omits the listener of the proposal. */
function usesOf(id: string, proposal: Proposal, { world, now }: OperationContext): number {
  const isOther = (balancer: LoadBalancerRow, listener: ListenerRow): boolean =>
    balancer !== proposal.balancer || listener.port !== proposal.port || listener.protocol !== proposal.protocol;
  return world.loadBalancers
    .rows()
    .flatMap((balancer) => listenersOf(balancer, now).filter((listener) => isOther(balancer, listener)))
    .filter(({ attributes }) => textOf(attributes, 'AclId').split(',').includes(id)).length;
}

const checkAccessControl: Check = (proposal, context) => {
  const { attributes, balancer } = proposal;
  if (attributes['AclStatus'] !== 'on') return;
  requireAttribute(attributes, 'AclType', 'AclStatus is on');
  requireAttribute(attributes, 'AclId', 'AclStatus is on');
  for (const id of textOf(attributes, 'AclId').split(',')) {
    const list = context.world.accessControlLists.get(id);
    if (list === undefined) throw new CloudError('AclNotExist', `The access control list ${id} does not exist.`);
    if (list.ipVersion !== balancer.ipVersion) {
      throw new CloudError(
        'IpVersionConflict',
        `The list ${id} is for ${list.ipVersion}, the load balancer has ${balancer.ipVersion}.`,
      );
    }
    const most = context.settings.listenersPerAccessControlList;
    if (usesOf(id, proposal, context) >= most) {
      throw new CloudError('AclListenerOverLimit', `The list ${id} is used by ${most} listeners, which is its limit.`);
    }
  }
};

const checkDrain: Check = ({ attributes }) => {
  if (attributes['ConnectionDrain'] !== 'on') return;
  requireAttribute(attributes, 'ConnectionDrainTimeout', 'ConnectionDrain is on');
};

const checkSession: Check = ({ attributes }) => {
  if (attributes['StickySession'] !== 'on') return;
  requireAttribute(attributes, 'StickySessionType', 'StickySession is on');
  const cookie = attributes['StickySessionType'] === 'insert' ? 'CookieTimeout' : 'Cookie';
  requireAttribute(attributes, cookie, `StickySessionType is ${textOf(attributes, 'StickySessionType')}`);
};

const checkCertificate: Check = ({ protocol, attributes, balancer }, { world }) => {
  if (protocol !== 'https') return;
  requireAttribute(attributes, 'ServerCertificateId', 'the listener speaks HTTPS');
  for (const name of ['ServerCertificateId', 'CACertificateId']) {
    const id = textOf(attributes, name);
    if (id !== '' && world.certificates.get(id) === undefined) {
      throw new CloudError('CertificateNotExist', `The certificate ${id} does not exist.`);
    }
  }
  if (balancer.spec === undefined && attributes['TLSCipherPolicy'] !== 'tls_cipher_policy_1_0') {
    throw new CloudError(
      'InvalidParameterValue.SpecNotSupport',
      'A shared load balancer does not support TLSCipherPolicy.',
    );
  }
};

const checkForward: Check = ({ attributes, balancer }, { now }) => {
  if (attributes['ListenerForward'] !== 'on') return;
  requireAttribute(attributes, 'ForwardPort', 'ListenerForward is on');
  const target = listenersOf(balancer, now).some(
    ({ port, protocol }) => port === attributes['ForwardPort'] && protocol === 'https',
  );
  if (!target)
    throw new CloudError(
      'ListenerNotFound',
      `There is no HTTPS listener on port ${textOf(attributes, 'ForwardPort')}.`,
    );
};

const checkHealth: Check = ({ protocol, attributes }) => {
  if ((protocol === 'http' || protocol === 'https') && attributes['ListenerForward'] !== 'on') {
    requireAttribute(attributes, 'HealthCheck', 'the listener does not only forward');
  }
};

const HASHED = new Set(['sch', 'tch', 'qch']);

/** Checks the scheduler. Only shared load balancers support `wlc`. Only load balancers with a specification support the hash schedulers. */
const checkAlgorithm: Check = ({ attributes, balancer }) => {
  const scheduler = textOf(attributes, 'Scheduler');
  const isShared = balancer.spec === undefined;
  if (scheduler === 'wlc' && !isShared) {
    throw new CloudError('InvalidParameter', 'Only older, shared load balancers support the scheduler wlc.');
  }
  if (HASHED.has(scheduler) && isShared) {
    throw new CloudError(
      'InvalidParameterValue.SpecNotSupport',
      `A shared load balancer does not support the scheduler ${scheduler}.`,
    );
  }
};

const CHECKS: readonly Check[] = [
  checkAlgorithm,
  checkHealth,
  checkGroup,
  checkForward,
  checkAccessControl,
  checkDrain,
  checkSession,
  checkCertificate,
];

/** Checks a listener by the rules of the cloud, before a creation or change. Throws the first error. */
export function checkListener(proposal: Proposal, context: OperationContext): void {
  for (const check of CHECKS) check(proposal, context);
}

/** Throws if a change of a listener selects a hash scheduler, because the cloud accepts a hash scheduler only at the creation of a listener. */
export function checkScheduler(before: Attributes, after: Attributes): void {
  const [from, to] = [textOf(before, 'Scheduler'), textOf(after, 'Scheduler')];
  if (from !== to && HASHED.has(to)) {
    throw new CloudError(
      'InvalidParameter',
      `The scheduler ${from} cannot be changed to ${to}; delete the listener and create it again.`,
    );
  }
}

/** Returns the attributes as the cloud stores them. Omits attributes of disabled features, and raises each probe timeout at least to the interval. */
export function settleAttributes(attributes: Attributes): Record<string, string | number | boolean> {
  const settled = { ...attributes };
  const unused =
    settled['StickySession'] === 'off'
      ? ['StickySessionType', 'Cookie', 'CookieTimeout']
      : [settled['StickySessionType'] === 'insert' ? 'Cookie' : 'CookieTimeout'];
  if (settled['ConnectionDrain'] === 'off') unused.push('ConnectionDrainTimeout');
  if (settled['AclStatus'] === 'off') unused.push('AclType', 'AclId');
  for (const name of unused) Reflect.deleteProperty(settled, name);
  for (const name of ['HealthCheckConnectTimeout', 'HealthCheckTimeout']) {
    const [timeout, interval] = [settled[name], settled['HealthCheckInterval']];
    if (typeof timeout === 'number' && typeof interval === 'number') settled[name] = Math.max(timeout, interval);
  }
  return settled;
}
