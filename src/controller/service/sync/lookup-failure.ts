import { PortcullisError, traitsOf } from '../../../base/errors.ts';

/**
 * Looks something up that only a part of a turn needs. Answers the failure that leaves the other parts as they are; rejects for one after
 * which nothing more is to be done.
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
