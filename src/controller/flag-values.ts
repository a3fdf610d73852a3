import { z } from 'zod';
import { nearest } from '../base/spelling-suggestion.ts';
import { parseCidr } from '../node/cidr.ts';

/** The address on which a server listens. */
export interface ListenAddress {
  /** An IP address of this machine; empty for all addresses. */
  readonly host: string;
  readonly port: number;
}

/** Returns a hint ` (perhaps NAME)` with the most similar known name. Empty if no name is similar. */
export const near = (text: string, known: Iterable<string>): string => {
  const guess = nearest(text, known);
  return guess === undefined ? '' : ` (perhaps ${guess})`;
};

/** Returns a reader that accepts only these values. The readers of this file parse the values of flags, and explain each wrong value. */
export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: ({ input }) => `expected one of ${values.join(', ')}${near(String(input), values)}` });

/** Returns a reader of whole numbers, with at most six digits. */
export const wholeNumber = (min: number, max: number) => {
  const message = `expected a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,6}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));
};

export const text = z.string().min(1, 'expected a value');
/** Reads a comma-separated list. Omits empty items. */
export const list = z.string().transform((joined) =>
  joined
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

export const address = z.string().transform((written, context): ListenAddress => {
  const [, bracketed, bare, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(written) ?? [];
  const port = Number(digits ?? NaN);
  if (port <= 65_535) return { host: bracketed ?? bare ?? '', port };
  context.addIssue('expected an address such as :10258 or 127.0.0.1:10258');
  return z.NEVER;
});

export const loadBalancerIds = list.refine(
  (all) => all.every((id) => /^lb-[a-z0-9]+$/.test(id)),
  'expected ids such as lb-bp1hfycf39bbeb019pg7m, separated by commas',
);

export const cidrs = list.refine(
  (all) => all.every((range) => parseCidr(range) !== undefined),
  'expected ranges such as 10.244.0.0/16, separated by commas',
);
