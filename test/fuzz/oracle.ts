import type { Fact } from './facts.ts';
import { FORMATS } from './formats.ts';

/**
 * Correct results for a value. `fine`: silent, `told`: warning, `denied`, `said`: warning or denial, `unrefused`: silent or warning. `any`: no
 * external source defines it.
 */
export type Right = 'fine' | 'told' | 'denied' | 'said' | 'unrefused' | 'any';

/** Actual result for a value. */
export type Became = 'silent' | 'warned' | 'denied';

const RIGHT: Readonly<Record<Right, readonly Became[]>> = {
  fine: ['silent'],
  told: ['warned'],
  denied: ['denied'],
  said: ['warned', 'denied'],
  unrefused: ['silent', 'warned'],
  any: ['silent', 'warned', 'denied'],
};

export const isRight = (right: Right, became: Became): boolean => RIGHT[right].includes(became);

const NO = new Set(['false', 'off', 'no', '0']);

function word({ values = [], anyCase, otherwise }: Fact, text: string): Right {
  if (values.includes(text)) return 'fine';
  const lower = text.toLowerCase();
  if (anyCase === true && values.includes(lower)) return 'fine';
  if (otherwise === undefined) return anyCase === true ? 'said' : 'denied';
  // The existing controller reads these texts as the user meant them, so they work.
  const isMeant = lower === otherwise || (otherwise !== 'ecs' && NO.has(lower));
  return isMeant ? 'told' : 'said';
}

/** Parses a sign and digits from 0 to 9 without regular expressions, so as not to repeat a mistake of the product. */
function numberIn(text: string): bigint | undefined {
  const digits = text.startsWith('+') || text.startsWith('-') ? text.slice(1) : text;
  if (digits === '') return undefined;
  for (const character of digits) if (!'0123456789'.includes(character)) return undefined;
  return text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
}

function whole({ range = [0, 0], also = [], zero }: Fact, text: string): Right {
  const value = numberIn(text);
  if (value === undefined) return 'denied';
  if (value >= BigInt(range[0]) && value <= BigInt(range[1])) return 'fine';
  if (also.some((other) => BigInt(other) === value)) return 'fine';
  return value === 0n && zero === 'unset' ? 'told' : 'denied';
}

/** Returns the correct results for a non-empty text of an effective annotation. */
export function rightFor(fact: Fact, text: string): Right {
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
      return NO.has(text.toLowerCase()) ? 'told' : 'unrefused';
    default:
      return 'any';
  }
}
