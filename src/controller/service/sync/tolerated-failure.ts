import { PortcullisError, traitsOf } from '../../../base/errors.ts';

/**
 * Runs a lookup that only a part of a reconcile needs. Returns a failure that does not affect the other parts, and rejects with a failure that stops
 * everything.
 */
export async function failureOf(ask: () => Promise<unknown>): Promise<PortcullisError | undefined> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    if (!(error instanceof PortcullisError) || traitsOf(error).stops === 'everything') throw error;
    return error;
  }
}
