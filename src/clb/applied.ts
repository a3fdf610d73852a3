import type { OptionName, Options } from '../annotation/catalogue.ts';
import type { Use } from './state.ts';

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

/** The place of an option is its bit in what is stored on Services: new ones go to the end, none is ever taken out. */
export const LASTING = [...OF_LOAD_BALANCER, ...OF_LISTENERS] as const;

export type LastingOption = (typeof LASTING)[number];
export type LastingOptions = ReadonlySet<LastingOption>;

export const NO_OPTIONS: LastingOptions = new Set();

/** The attributes of a load balancer that people brought are not put back: nobody knows what they were before. */
function lastingFor(use: Use): readonly LastingOption[] {
  if (use.kind === 'owned') return LASTING;
  return use.overrideListeners ? OF_LISTENERS : [];
}

/** What is put up because the Service says so, and would stay if it ceased to. */
export const lastingOptions = (options: Options, use: Use): LastingOptions =>
  new Set(lastingFor(use).filter((name) => options[name] !== undefined));

/** As a label's value: a bit an option, in hexadecimal. Absent for none. */
export function writeOptions(options: LastingOptions): string | undefined {
  let bits = 0n;
  for (const name of options) bits |= 1n << BigInt(LASTING.indexOf(name));
  return bits === 0n ? undefined : bits.toString(16);
}

const HEXADECIMAL = /^[0-9a-f]{1,32}$/;
const BITS_OF_A_DIGIT = 4;

/** Whether the bit of this place is set in a number of hexadecimal digits. */
const isSet = (digits: string, place: number): boolean => {
  const digit = digits.at(-1 - Math.floor(place / BITS_OF_A_DIGIT)) ?? '0';
  return ((parseInt(digit, 16) >> (place % BITS_OF_A_DIGIT)) & 1) === 1;
};

/** Reads a label's value. None where it is absent or unreadable, and none that this version does not know. */
export function readOptions(text: string | undefined): LastingOptions {
  if (text === undefined || !HEXADECIMAL.test(text)) return NO_OPTIONS;
  return new Set(LASTING.filter((_name, place) => isSet(text, place)));
}

/** What was put up, is no longer asked for, and is ours to put back. */
export const removedOptions = (applied: LastingOptions, options: Options, use: Use): LastingOptions =>
  new Set(lastingFor(use).filter((name) => applied.has(name) && options[name] === undefined));
