import { hasReason, PortcullisError } from '../base/errors.ts';

/** The result of a read. A failed read is a value, so that the status still shows all other reads. */
export type Attempt<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  /** The object, or its kind, does not exist. */
  | { readonly kind: 'absent' }
  /** `right` is the missing permission, such as `list services in all namespaces`. */
  | { readonly kind: 'forbidden'; readonly right: string }
  | { readonly kind: 'failed'; readonly error: PortcullisError };

/** A read that failed or was forbidden. */
export type FailedAttempt = Exclude<Attempt<unknown>, { readonly kind: 'read' | 'absent' }>;

/** Reads a value that requires the permission `right`. Rejects only if the signal aborts, or with an unexpected error. */
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

/** Returns the value of a read. Returns undefined if the read has no value. */
export const valueOf = <Value>(read: Attempt<Value>): Value | undefined =>
  read.kind === 'read' ? read.value : undefined;

/** Returns whether a read failed, or was forbidden. */
export const isUnread = (read: Attempt<unknown>): read is FailedAttempt =>
  read.kind === 'forbidden' || read.kind === 'failed';

export const whyUnread = (read: FailedAttempt): string =>
  read.kind === 'forbidden' ? `the right to ${read.right} is missing` : read.error.message;
