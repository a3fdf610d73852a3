import type { OptionName, Options } from '../../annotation/catalogue.ts';
import type { Use } from '../model/state.ts';

/** Options of the load balancer whose values stay in the cloud when users remove the annotation. */
const OF_LOAD_BALANCER = [
  'name',
  'additionalResourceTags',
  'deleteProtection',
  'modificationProtection',
  'instanceChargeType',
  'spec',
  'chargeType',
] as const satisfies readonly OptionName[];

/** Options of listeners whose values stay in the cloud when users remove the annotation. Contains only options with a default. */
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

/** All resettable options, in the order of bindings. */
export const RESETTABLE = [...OF_LOAD_BALANCER, ...OF_LISTENERS] as const;

export type ResettableOption = (typeof RESETTABLE)[number];
export type ResettableOptions = ReadonlySet<ResettableOption>;

export const NO_OPTIONS: ResettableOptions = new Set();

/**
 * Returns the resettable options of a Service. Attributes of a user-managed load balancer are not reset, because their earlier values are unknown.
 */
function resettableFor(use: Use): readonly ResettableOption[] {
  if (use.kind === 'owned') return RESETTABLE;
  return use.overrideListeners ? OF_LISTENERS : [];
}

/** Returns the options that the Service sets and whose values would stay in the cloud without the annotation. */
export const resettableOptions = (options: Options, use: Use): ResettableOptions =>
  new Set(resettableFor(use).filter((name) => options[name] !== undefined));

/** Returns the options that were applied, are no longer set, and can be reset by the controller. */
export const removedOptions = (applied: ResettableOptions, options: Options, use: Use): ResettableOptions =>
  new Set(resettableFor(use).filter((name) => applied.has(name) && options[name] === undefined));
