import { z } from 'zod';
import { readBody } from '../response-validation.ts';
import { operationOf, type SlbMethod } from './client.ts';

/** A whole number, also as text, because the cloud sends some numbers as text. */
export const wholeNumber = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^-?\d+$/)
    .transform(Number),
]);
/** A boolean, also as text, because the cloud sends some booleans as text. */
export const flag = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);
/** Returns the schema of an enumeration. An unknown value becomes undefined, because the API may add values. */
export const oneOf = <const Known extends readonly [string, ...string[]]>(known: Known) =>
  z.enum(known).optional().catch(undefined);
/** An optional text. An empty text becomes undefined. */
export const optionalText = z
  .string()
  .optional()
  .transform((value) => (value === '' ? undefined : value));
/** Returns the checked fields of an SLB response; see `readBody`. Without the check, a malformed response could look like deleted resources. */
export const readAnswer = <Shape extends z.ZodType>(
  method: SlbMethod,
  shape: Shape,
  answer: unknown,
): z.output<Shape> => readBody(operationOf(method), shape, answer);
