import { z } from 'zod';

/** The units of Go durations, in milliseconds. Hours are the largest unit. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const PART = String.raw`(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)`;
const TIME = new RegExp(`^\\+?(?:0|(?:${PART})+)$`);
const PARTS = new RegExp(PART, 'g');
/** The longest duration in Go, 292 years, in milliseconds. */
const LONGEST_MS = 2 ** 63 / 1e6;

/** Reads a non-negative Go duration such as `1m30s`, in milliseconds. The Alibaba Cloud Controller Manager also accepts Go durations. */
export const duration = z
  .string()
  .max(64, 'expected a time such as 15s, 1m30s or 1.5h')
  .regex(TIME, 'expected a time such as 15s, 1m30s or 1.5h')
  .transform((text) =>
    [...text.matchAll(PARTS)].reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0),
  )
  .refine((ms) => ms < LONGEST_MS, 'expected a time of less than 292 years');

const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'True', 'TRUE', 't', 'T', '1'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE', 'f', 'F', '0'].map((word) => [word, false] as const),
]);

/** Reads a boolean as `strconv.ParseBool` of Go does. */
export const toggle = z.string().transform((written, context): boolean => {
  const isOn = SWITCHES.get(written);
  if (isOn !== undefined) return isOn;
  context.addIssue('expected true or false');
  return z.NEVER;
});

/** Returns a reader of the non-negative decimals that `strconv.ParseFloat` of Go accepts, such as `20`, `20.5` and `2e1`. */
export const decimal = (min: number, max: number) => {
  const message = `expected a number from ${min} to ${max}`;
  return z
    .string()
    .max(32, message)
    .regex(/^\+?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/, message)
    .transform(Number)
    .pipe(z.number(message).min(min, message).max(max, message));
};
