import { z } from 'zod';
import { PortcullisError } from '../base/errors.ts';
import { isWrite, type Operation } from './call.ts';

/** The list that is asked for, in its wrapper, `{ item: [...] }`. Where it is left out, nobody has said that it is empty. */
export const wrapped = <Item extends z.ZodType>(name: string, item: Item) =>
  z.object({ [name]: z.array(item) }).transform((wrapper) => wrapper[name] ?? []);

/** A list inside an item, in its wrapper; may be left out when it is empty. */
export const wrappedIfAny = <Item extends z.ZodType>(name: string, item: Item) =>
  z
    .record(z.string(), z.array(item))
    .optional()
    .transform((wrapper) => wrapper?.[name] ?? []);

/** Rejects an answer, or an item of one, that is about something else than was asked for. */
export function expectAbout(operation: Operation, asked: string | readonly string[], answered: string): void {
  const ids = typeof asked === 'string' ? [asked] : asked;
  if (ids.includes(answered)) return;
  throw new PortcullisError(
    'Unavailable',
    `${operation.action}: the cloud's answer is about ${answered}, and not ${ids.join(', ')}`,
  );
}

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
