import { CATALOGUE, type OptionName } from './catalogue.ts';
import type { OptionDefinition } from './option-definition.ts';
import type { Protocol } from './value-type.ts';

/** Returns the value that applies to an unset annotation. Undefined if no value can express the default. */
export function defaultOf(option: OptionName): unknown {
  const { default: own, cloudDefault }: OptionDefinition = CATALOGUE[option];
  return own ?? cloudDefault;
}

/** Returns the default of an option on listeners of a protocol. */
export function listenerDefaultOf(option: OptionName, protocol: Protocol): unknown {
  const { default: own, cloudDefaultOn }: OptionDefinition = CATALOGUE[option];
  return own ?? cloudDefaultOn?.[protocol] ?? defaultOf(option);
}

/** Returns whether the default of an option depends on the protocol of the listener. */
export const hasProtocolDefaults = (option: OptionName): boolean =>
  (CATALOGUE[option] as OptionDefinition).cloudDefaultOn !== undefined;
