import type { OptionName, Options } from '../../annotation/catalogue.ts';
import type { Use } from '../model/desired-and-observed-state.ts';

/** Options of the load balancer whose values would stay in the cloud after users remove the annotation. */
const OF_LOAD_BALANCER = [
  'name',
  'additionalResourceTags',
  'deleteProtection',
  'modificationProtection',
  'instanceChargeType',
  'spec',
  'chargeType',
] as const satisfies readonly OptionName[];

/**
 * Options of listeners whose values would stay in the cloud after users remove the annotation. The controller sets the default of the option instead.
 */
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

/** All resettable options, in the order in which bindings list them. */
export const RESETTABLE = [...OF_LOAD_BALANCER, ...OF_LISTENERS] as const;

export type ResettableOption = (typeof RESETTABLE)[number];
export type ResettableOptions = ReadonlySet<ResettableOption>;

export const NO_OPTIONS: ResettableOptions = new Set();

/** Returns the options that the controller may reset. */
function resettableFor(use: Use): readonly ResettableOption[] {
  if (use.kind === 'owned') return RESETTABLE;
  // The earlier attributes of a user-managed load balancer are unknown.
  return use.overrideListeners ? OF_LISTENERS : [];
}

/** Returns the resettable options that a Service sets. The binding records them, so that a later sync notices when the user removes an option. */
export const resettableOptions = (options: Options, use: Use): ResettableOptions =>
  new Set(resettableFor(use).filter((name) => options[name] !== undefined));

/** Returns the recorded options that the Service no longer sets. The controller resets the attributes of these options. */
export const removedOptions = (applied: ResettableOptions, options: Options, use: Use): ResettableOptions =>
  new Set(resettableFor(use).filter((name) => applied.has(name) && options[name] === undefined));
