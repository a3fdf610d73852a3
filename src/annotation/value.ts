import type { ParsedValue } from './entry.ts';
import { faultOf } from './fault.ts';
import { LISTS } from './list.ts';
import { isHostName, isIpv4, wholeNumber } from './text.ts';
import type { BooleanType, EnumType, FlagType, IntegerType, PresenceType, TextType, ValueType } from './value-type.ts';

type Interpreter<Type extends ValueType> = (type: Type, text: string) => ParsedValue<unknown>;
type Interpreters = { readonly [Kind in ValueType['kind']]: Interpreter<Extract<ValueType, { kind: Kind }>> };

const good = <Value>(value: Value): ParsedValue<Value> => ({ ok: true, value });
const ON = good<'on'>('on');
const OFF = good<'off'>('off');
const TRUE = good(true);
const FALSE = good(false);

/** Texts that a person writes to say no. */
const NEGATIONS: ReadonlySet<string> = new Set(['false', 'off', 'no', '0', 'disabled', 'none']);

function flag(type: FlagType, text: string): ParsedValue<'on' | 'off'> {
  const read = type.anyCase === true ? text.toLowerCase() : text;
  if (read === 'on') return ON;
  return read === 'off' ? OFF : { ok: false, fault: faultOf(type, text) };
}

function boolean(type: BooleanType, text: string): ParsedValue<boolean> {
  if (text === 'true') return TRUE;
  return text === 'false' ? FALSE : { ok: false, fault: faultOf(type, text) };
}

function enumeration(type: EnumType, text: string): ParsedValue<string> {
  const read = type.anyCase === true ? text.toLowerCase() : text;
  return type.values.includes(read) ? good(read) : { ok: false, fault: faultOf(type, text) };
}

function presence(type: PresenceType, text: string): ParsedValue<true> {
  if (type.emptyCounts === true || !NEGATIONS.has(text.trim().toLowerCase())) return { ok: true, value: true };
  return { ok: true, value: true, fault: faultOf(type, text) };
}

function integer(type: IntegerType, text: string): ParsedValue<number> {
  const value = wholeNumber(text);
  if (value !== undefined && ((value >= type.min && value <= type.max) || type.also?.includes(value) === true)) {
    return good(value);
  }
  return { ok: false, fault: faultOf(type, text) };
}

const FORMATS = { 'host-name': isHostName, ipv4: isIpv4 };

function isText(type: TextType, text: string): boolean {
  // A character beyond the basic plane is two code units, so only texts over the limit are counted properly.
  if (text.length > type.max && (text.length > 2 * type.max || Array.from(text).length > type.max)) return false;
  if (type.pattern?.test(text) === false) return false;
  if (type.format !== undefined && !FORMATS[type.format](text)) return false;
  if (type.not?.some((beginning) => text.startsWith(beginning)) === true) return false;
  return type.pattern !== undefined || text.trim() !== '';
}

const INTERPRETERS: Interpreters = {
  flag,
  boolean,
  enum: enumeration,
  presence,
  integer,
  text: (type, text) => (isText(type, text) ? good(text) : { ok: false, fault: faultOf(type, text) }),
  ...LISTS,
};

/** Whether `text` says nothing: the annotation is as good as absent. */
export const isEmpty = (type: ValueType, text: string): boolean =>
  text === '' && !(type.kind === 'presence' && type.emptyCounts === true);

/** Reads a text that is not empty by what its type says. Total: it never throws, and takes time linear in the text. */
export const parseValue = (type: ValueType, text: string): ParsedValue<unknown> =>
  (INTERPRETERS[type.kind] as Interpreter<ValueType>)(type, text);
