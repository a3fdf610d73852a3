import { PortcullisError, traitsOf } from '../../../base/errors.ts';

/** Runs a lookup for one part of a reconcile. Returns the failure of the lookup, but rethrows a failure that stops everything. */
export async function failureOf(ask: () => Promise<unknown>): Promise<PortcullisError | undefined> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    if (!(error instanceof PortcullisError) || traitsOf(error).stops === 'everything') throw error;
    return error;
  }
}
