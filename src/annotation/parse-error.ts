import { formatHint } from './format-hint.ts';
import type { ValueError } from './option-definition.ts';
import { nearest } from '../base/nearest.ts';
import { allowedBy } from './allowed-values.ts';
import { wholeNumber } from './text.ts';
import type { BooleanType, EnumType, FlagType, IntegerType, FlagValueType, TextType } from './value-type.ts';

const YES: ReadonlySet<string> = new Set(['true', 'yes', 'y', '1', 'on', 'enable', 'enabled', 'open']);
const NO: ReadonlySet<string> = new Set(['false', 'no', 'n', '0', 'off', 'disable', 'disabled', 'close', 'none']);

const inCase = (value: string): string =>
  value === value.toLowerCase() ? `write ${value}, in lower case` : `write ${value}, in exactly this case`;

const withoutDigits = (text: string): string => text.replaceAll(/[0-9]/g, '');

/** Returns advice to write an allowed value in its own case. Undefined if the text matches no value. */
function sameWord(values: readonly string[], text: string): string | undefined {
  const lower = text.toLowerCase();
  const same = values.find((value) => value.toLowerCase() === lower);
  return same === undefined ? undefined : inCase(same);
}

/** Returns advice to write the nearest value. Another number is not a typing error: TLS 1.3 or a larger size does not mean the next value. */
function nearHit(values: readonly string[], text: string): string | undefined {
  const same = sameWord(values, text);
  if (same !== undefined) return same;
  const lower = text.toLowerCase();
  const near = nearest(lower, values);
  if (near === undefined || withoutDigits(near.toLowerCase()) === withoutDigits(lower)) return undefined;
  return `write ${near}, if that is meant`;
}

function switched(text: string, on: string, off: string): string {
  const lower = text.toLowerCase();
  if (lower === on || lower === off) return inCase(lower);
  if (YES.has(lower)) return `write ${on}`;
  return NO.has(lower) ? `write ${off}` : `write ${on} or ${off}`;
}

/** Matches a number with a unit, as in `10s`. */
const WITH_UNIT = /^([+-]?[0-9]{1,12})\s?[A-Za-z/%]+$/;

function onNumber(type: IntegerType, text: string): string {
  const value = wholeNumber(text);
  if (value !== undefined && value === 0 && type.min > 0) {
    return `remove the annotation to say nothing, or choose a number from ${type.min} to ${type.max}`;
  }
  if (value !== undefined) return `choose a number from ${type.min} to ${type.max}`;
  const digits = WITH_UNIT.exec(text)?.[1];
  if (digits !== undefined) {
    return type.unit === undefined ? `write the number alone: ${digits}` : `write the number alone, in ${type.unit}`;
  }
  return 'write digits only';
}

function onText(type: TextType, text: string): string {
  if (text.length > type.max) return `shorten it to ${type.max} characters`;
  if (text.includes(',')) return 'name one only';
  const beginning = type.not?.find((candidate) => text.startsWith(candidate));
  if (beginning !== undefined) return `remove ${beginning}`;
  const instead = type.others?.find(({ begins }) => text.startsWith(begins))?.fix;
  if (type.known === undefined) return instead ?? 'correct it, or remove the annotation';
  return nearHit(type.known, text) ?? `write one that is known (${type.known.join(', ')}), unless it is a new one`;
}

type Simple = EnumType | FlagType | BooleanType | FlagValueType | IntegerType | TextType;

const PRESENCE_FIX = 'remove the annotation to say no, or write true';

function fixFor(type: Simple, text: string): string {
  switch (type.kind) {
    case 'flag':
      return switched(text, 'on', 'off');
    case 'boolean':
      return switched(text, 'true', 'false');
    case 'enum':
      if (type.ignoresOthers === true) return sameWord(type.values, text) ?? 'remove it';
      return nearHit(type.values, text) ?? `write ${allowedBy(type)}`;
    case 'presence':
      return PRESENCE_FIX;
    case 'integer':
      return onNumber(type, text);
    case 'text':
      return onText(type, text);
  }
}

/** Returns the allowed values of a type, and the most likely fix for an invalid text. */
export const valueErrorOf = (type: Simple, text: string): ValueError => ({
  allowed: allowedBy(type),
  fix: formatHint(text) ?? fixFor(type, text),
});
