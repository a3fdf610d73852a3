import { z } from 'zod';
import { PortcullisError } from '../base/errors.ts';
import { isWrite, type CloudOperation } from './cloud-call-types.ts';

/** Returns the schema of a requested list `{ name: [...] }`. A missing list is invalid, because callers take an empty list for deleted resources. */
export const wrapped = <Item extends z.ZodType>(name: string, item: Item) =>
  z.object({ [name]: z.array(item) }).transform((wrapper) => wrapper[name] ?? []);

/** Returns the schema of a list inside an item, such as tags. A missing list counts as empty, because the cloud may omit empty lists. */
export const wrappedIfAny = <Item extends z.ZodType>(name: string, item: Item) =>
  z
    .record(z.string(), z.array(item))
    .optional()
    .transform((wrapper) => wrapper?.[name] ?? []);

/** Throws `Unavailable` if the response describes a resource that the call did not request. */
export function expectAbout(operation: CloudOperation, requested: string | readonly string[], answered: string): void {
  const ids = typeof requested === 'string' ? [requested] : requested;
  if (ids.includes(answered)) return;
  throw new PortcullisError(
    'Unavailable',
    `${operation.action}: the response describes ${answered} instead of ${ids.join(', ')}`,
  );
}

/** Returns the checked fields of a response. Throws if the response does not match `shape`. */
export function readBody<Shape extends z.ZodType>(
  operation: CloudOperation,
  shape: Shape,
  answer: unknown,
): z.output<Shape> {
  const result = shape.safeParse(answer);
  if (result.success) return result.data;
  const where = result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ');
  throw new PortcullisError(
    isWrite(operation) ? 'OutcomeUnknown' : 'Unavailable',
    `${operation.action}: the response is not valid (${where.slice(0, 300)})`,
  );
}
