import { z } from 'zod';
import { readBody } from '../body.ts';
import { operationOf, type SlbMethod } from './client.ts';

/** A whole number, which the cloud may send as text. */
export const wholeNumber = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^-?\d+$/)
    .transform(Number),
]);
export const flag = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);
/** An enumeration. An unknown value counts as undefined, because the API grows. */
export const oneOf = <const Known extends readonly [string, ...string[]]>(known: Known) =>
  z.enum(known).optional().catch(undefined);
/** A text. An empty text counts as undefined. */
export const optionalText = z
  .string()
  .optional()
  .transform((value) => (value === '' ? undefined : value));
/** Reads the body of an SLB operation; see `readBody`. */
export const readAnswer = <Shape extends z.ZodType>(
  method: SlbMethod,
  shape: Shape,
  answer: unknown,
): z.output<Shape> => readBody(operationOf(method), shape, answer);
