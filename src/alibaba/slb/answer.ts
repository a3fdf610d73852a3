import { z } from 'zod';
import { readBody } from '../body.ts';
import { operationOf, type SlbMethod } from './client.ts';

/** Building blocks of answers: numbers may come as text, members that nobody here knows are dropped. */
export const wholeNumber = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^-?\d+$/)
    .transform(Number),
]);
export const flag = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);
/** An enumeration: a value that is not known here counts as not there, because the API grows. */
export const oneOf = <const Known extends readonly [string, ...string[]]>(known: Known) =>
  z.enum(known).optional().catch(undefined);
/** Text of which an empty one counts as not there. */
export const filled = z
  .string()
  .optional()
  .transform((value) => (value === '' ? undefined : value));
/** `readBody` for an operation of SLB. */
export const readAnswer = <Shape extends z.ZodType>(
  method: SlbMethod,
  shape: Shape,
  answer: unknown,
): z.output<Shape> => readBody(operationOf(method), shape, answer);
