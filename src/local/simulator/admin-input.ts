import type { z } from 'zod';
import { AdminError } from './error.ts';

const pathOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');

/**
 * Parses an input of the API below `/_simulator/`. Throws an `AdminError` that lists each invalid field with its message. In the error, `what` names
 * the input.
 */
export function readInput<Value>(schema: z.ZodType<Value>, input: unknown, what: string): Value {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new AdminError(result.error.issues.map((issue) => `${what}${pathOf(issue.path)}: ${issue.message}`).join('; '));
}
