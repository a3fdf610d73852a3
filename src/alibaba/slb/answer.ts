import { z } from 'zod';
import { PortcullisError } from '../../errors.ts';
import { isWrite } from '../call.ts';
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
/** A list in its wrapper, `{ item: [...] }`; left out altogether when empty by some operations. */
export const wrapped = <Item extends z.ZodType>(name: string, item: Item) =>
  z
    .record(z.string(), z.array(item))
    .optional()
    .transform((wrapper) => wrapper?.[name] ?? []);

/**
 * The part of an answer that is used. Rejects an answer of another shape as one that could not be read: after a write its
 * outcome is unknown.
 */
export function readAnswer<Shape extends z.ZodType>(method: SlbMethod, shape: Shape, answer: unknown): z.output<Shape> {
  const result = shape.safeParse(answer);
  if (result.success) return result.data;
  const operation = operationOf(method);
  const where = result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ');
  throw new PortcullisError(
    isWrite(operation) ? 'OutcomeUnknown' : 'Unavailable',
    `${operation.action}: the cloud's answer could not be read (${where.slice(0, 300)})`,
  );
}
