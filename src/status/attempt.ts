import { hasReason, PortcullisError } from '../base/errors.ts';

/** The result of a read that may fail without the others. */
export type Attempt<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  /** The object, or its kind, does not exist. */
  | { readonly kind: 'absent' }
  /** `right` is the missing permission: `list services in all namespaces`. */
  | { readonly kind: 'forbidden'; readonly right: string }
  | { readonly kind: 'failed'; readonly error: PortcullisError };

/** A read without a value. */
export type FailedAttempt = Exclude<Attempt<unknown>, { readonly kind: 'read' | 'absent' }>;

/** Reads a value that needs the permission `right`. Rejects only defects and the reason of the aborted signal. */
export async function attempt<Value>(
  right: string,
  read: () => Promise<Value | undefined>,
  signal: AbortSignal,
): Promise<Attempt<Value>> {
  try {
    const value = await read();
    return value === undefined ? { kind: 'absent' } : { kind: 'read', value };
  } catch (error) {
    signal.throwIfAborted();
    if (hasReason(error, 'NotFound')) return { kind: 'absent' };
    if (hasReason(error, 'Forbidden')) return { kind: 'forbidden', right };
    if (!(error instanceof PortcullisError)) throw error;
    return { kind: 'failed', error };
  }
}

/** Returns the value, or undefined if it was not read. */
export const valueOf = <Value>(read: Attempt<Value>): Value | undefined =>
  read.kind === 'read' ? read.value : undefined;

/** Returns whether the API server did not answer the read. */
export const isUnread = (read: Attempt<unknown>): read is FailedAttempt =>
  read.kind === 'forbidden' || read.kind === 'failed';

/** Returns why a value is missing. */
export const whyUnread = (read: FailedAttempt): string =>
  read.kind === 'forbidden' ? `the right to ${read.right} is missing` : read.error.message;
