import type { Fact } from './facts.ts';
import { FORMATS } from './formats.ts';

/**
 * What may become of a value: `fine` in silence; `told` with a warning; `denied`; `said` either way, but not in silence; `unrefused`
 * with or without a warning; `any` where nothing outside this project says what is right.
 */
export type Right = 'fine' | 'told' | 'denied' | 'said' | 'unrefused' | 'any';

/** What became of it. */
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
  // The existing controller reads these as what a person means by them: they work.
  const isMeant = lower === otherwise || (otherwise !== 'ecs' && NO.has(lower));
  return isMeant ? 'told' : 'said';
}

/** A sign, and digits from 0 to 9, by hand: no expression shares a mistake with another. */
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

/** What is right for a text that is not empty, where the annotation has an effect. */
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
