import { z } from 'zod';
import { PortcullisError } from '../errors.ts';
import { isWrite, type Operation } from './call.ts';

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
export function readBody<Shape extends z.ZodType>(
  operation: Operation,
  shape: Shape,
  answer: unknown,
): z.output<Shape> {
  const result = shape.safeParse(answer);
  if (result.success) return result.data;
  const where = result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ');
  throw new PortcullisError(
    isWrite(operation) ? 'OutcomeUnknown' : 'Unavailable',
    `${operation.action}: the cloud's answer could not be read (${where.slice(0, 300)})`,
  );
}
