import { formatHint } from './formatting-mistake.ts';
import type { ValueError } from './option-definition.ts';
import { nearest } from '../base/spelling-suggestion.ts';
import { typeError } from './allowed-values.ts';
import { wholeNumber } from './text-formats.ts';
import type { BooleanType, EnumType, FlagType, IntegerType, FlagValueType, TextType } from './value-type.ts';

const YES: ReadonlySet<string> = new Set(['true', 'yes', 'y', '1', 'on', 'enable', 'enabled', 'open']);
const NO: ReadonlySet<string> = new Set(['false', 'no', 'n', '0', 'off', 'disable', 'disabled', 'close', 'none']);

const inCase = (value: string): string =>
  value === value.toLowerCase() ? `use lower case: ${value}` : `use exactly this case: ${value}`;

const withoutDigits = (text: string): string => text.replaceAll(/[0-9]/g, '');

/** Returns advice to correct the case of an allowed value. Returns undefined if the text matches no value in any case. */
function sameWord(values: readonly string[], text: string): string | undefined {
  const lower = text.toLowerCase();
  const same = values.find((value) => value.toLowerCase() === lower);
  return same === undefined ? undefined : inCase(same);
}

/** Returns advice to write the nearest value, unless only digits differ, as in TLS 1.2 and 1.3, because another version is no typing error. */
function nearHit(values: readonly string[], text: string): string | undefined {
  const same = sameWord(values, text);
  if (same !== undefined) return same;
  const lower = text.toLowerCase();
  const near = nearest(lower, values);
  if (near === undefined || withoutDigits(near.toLowerCase()) === withoutDigits(lower)) return undefined;
  return `did you mean ${near}?`;
}

function switched(text: string, on: string, off: string): string | undefined {
  const lower = text.toLowerCase();
  if (lower === on || lower === off) return inCase(lower);
  if (YES.has(lower)) return `use ${on}`;
  return NO.has(lower) ? `use ${off}` : undefined;
}

/** Matches a number with a unit, as in `10s`. */
const WITH_UNIT = /^([+-]?[0-9]{1,12})\s?[A-Za-z/%]+$/;

function onNumber(type: IntegerType, text: string): string | undefined {
  const value = wholeNumber(text);
  if (value !== undefined && value === 0 && type.min > 0) {
    return 'remove the annotation to use the default';
  }
  if (value !== undefined) return undefined;
  const digits = WITH_UNIT.exec(text)?.[1];
  if (digits !== undefined) {
    return type.unit === undefined ? `remove the unit: ${digits}` : `write the number alone, in ${type.unit}`;
  }
  return undefined;
}

function onText(type: TextType, text: string): string | undefined {
  if (text.length > type.max) return `use at most ${type.max} characters`;
  if (text.includes(',')) return 'use one value, not a list';
  const beginning = type.not?.find((candidate) => text.startsWith(candidate));
  if (beginning !== undefined) return `remove ${beginning}`;
  const instead = type.others?.find(({ begins }) => text.startsWith(begins))?.fix;
  if (type.known === undefined) return instead;
  return nearHit(type.known, text) ?? `known values are ${type.known.join(', ')}`;
}

type Simple = EnumType | FlagType | BooleanType | FlagValueType | IntegerType | TextType;

const FLAG_VALUE_REMEDY = 'remove the annotation to turn the option off';

function remedyFor(type: Simple, text: string): string | undefined {
  switch (type.kind) {
    case 'flag':
      return switched(text, 'on', 'off');
    case 'boolean':
      return switched(text, 'true', 'false');
    case 'enum':
      if (type.ignoresOthers === true) return sameWord(type.values, text) ?? 'remove the annotation';
      return nearHit(type.values, text);
    case 'present':
      return FLAG_VALUE_REMEDY;
    case 'integer':
      return onNumber(type, text);
    case 'text':
      return onText(type, text);
  }
}

/** Returns the error or warning for an unexpected text, with the most likely remedy. */
export const valueErrorOf = (type: Simple, text: string): ValueError =>
  typeError(type, formatHint(text) ?? remedyFor(type, text));
