import type { OptionName, Options } from '../../annotation/catalogue.ts';
import type { Use } from '../model/state.ts';

/** Options of the load balancer whose value stays in the cloud when the annotation goes. */
const OF_LOAD_BALANCER = [
  'name',
  'additionalResourceTags',
  'deleteProtection',
  'modificationProtection',
  'instanceChargeType',
  'spec',
  'chargeType',
] as const satisfies readonly OptionName[];

/** The same of listeners; only those that have a value to go back to. */
const OF_LISTENERS = [
  'scheduler',
  'persistenceTimeout',
  'establishedTimeout',
  'proxyProtocol',
  'connectionDrain',
  'aclStatus',
  'domainExtensions',
  'http2Enabled',
  'tlsCipherPolicy',
  'idleTimeout',
  'requestTimeout',
  'stickySession',
  'xforwardedforProto',
  'xforwardedforSlbport',
  'xforwardedforClientsrcport',
  'healthCheckFlag',
  'healthCheckSwitch',
  'healthCheckType',
  'healthCheckConnectPort',
  'healthyThreshold',
  'unhealthyThreshold',
  'healthCheckInterval',
  'healthCheckConnectTimeout',
  'healthCheckTimeout',
  'healthCheckDomain',
  'healthCheckHttpcode',
  'healthCheckMethod',
  'listenerBandwidth',
] as const satisfies readonly OptionName[];

/** All of them, in the order in which bindings list them. */
export const RESETTABLE = [...OF_LOAD_BALANCER, ...OF_LISTENERS] as const;

export type ResettableOption = (typeof RESETTABLE)[number];
export type ResettableOptions = ReadonlySet<ResettableOption>;

export const NO_OPTIONS: ResettableOptions = new Set();

/** The attributes of a load balancer that people brought are not put back: nobody knows what they were before. */
function resettableFor(use: Use): readonly ResettableOption[] {
  if (use.kind === 'owned') return RESETTABLE;
  return use.overrideListeners ? OF_LISTENERS : [];
}

/** What is put up because the Service says so, and would stay if it ceased to. */
export const resettableOptions = (options: Options, use: Use): ResettableOptions =>
  new Set(resettableFor(use).filter((name) => options[name] !== undefined));

/** What was put up, is no longer asked for, and is ours to put back. */
export const removedOptions = (applied: ResettableOptions, options: Options, use: Use): ResettableOptions =>
  new Set(resettableFor(use).filter((name) => applied.has(name) && options[name] === undefined));
