import type { Fact } from './annotation-facts.ts';
import { FORMATS } from './formats.ts';

/** The expected result for a value. `reported`: warning or denial. `allowed`: no denial. `any`: no external source defines the result. */
export type Expected = 'valid' | 'warned' | 'denied' | 'reported' | 'allowed' | 'any';

/** The actual result for a value. */
export type Actual = 'silent' | 'warned' | 'denied';

const ACCEPTED: Readonly<Record<Expected, readonly Actual[]>> = {
  valid: ['silent'],
  warned: ['warned'],
  denied: ['denied'],
  reported: ['warned', 'denied'],
  allowed: ['silent', 'warned'],
  any: ['silent', 'warned', 'denied'],
};

export const isExpected = (expected: Expected, actual: Actual): boolean => ACCEPTED[expected].includes(actual);

const NO = new Set(['false', 'off', 'no', '0']);

function word({ values = [], anyCase, otherwise }: Fact, text: string): Expected {
  if (values.includes(text)) return 'valid';
  const lower = text.toLowerCase();
  if (anyCase === true && values.includes(lower)) return 'valid';
  if (otherwise === undefined) return anyCase === true ? 'reported' : 'denied';
  // The Alibaba Cloud Controller Manager reads these texts like `otherwise`, so Services with them work today.
  const isMeant = lower === otherwise || (otherwise !== 'ecs' && NO.has(lower));
  return isMeant ? 'warned' : 'reported';
}

/** Parses a sign and the digits 0 to 9, without a regular expression, which could share a mistake with the product. */
function numberIn(text: string): bigint | undefined {
  const digits = text.startsWith('+') || text.startsWith('-') ? text.slice(1) : text;
  if (digits === '') return undefined;
  for (const character of digits) if (!'0123456789'.includes(character)) return undefined;
  return text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
}

function whole({ range = [0, 0], also = [], zero }: Fact, text: string): Expected {
  const value = numberIn(text);
  if (value === undefined) return 'denied';
  if (value >= BigInt(range[0]) && value <= BigInt(range[1])) return 'valid';
  if (also.some((other) => BigInt(other) === value)) return 'valid';
  return value === 0n && zero === 'unset' ? 'warned' : 'denied';
}

/** Returns the expected result for a non-empty text of an effective annotation. The fuzz tests compare the webhook's decision with it. */
export function expectedFor(fact: Fact, text: string): Expected {
  const format = FORMATS[fact.name];
  if (format !== undefined) return format(text, fact);
  switch (fact.type) {
    case 'enum':
    case 'flag':
    case 'bool':
      return word(fact, text);
    case 'int':
      return whole(fact, text);
    case 'presence':
      return NO.has(text.toLowerCase()) ? 'warned' : 'allowed';
    default:
      return 'any';
  }
}
