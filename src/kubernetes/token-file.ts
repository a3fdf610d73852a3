import { readFile } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';
import { PortcullisError, messageOf } from '../base/errors.ts';

/**
 * Answers the bearer token to send now. `refused` is one that the API server has just answered 401 to:
 * a source that remembers it asks its origin again at once. Rejects `Unauthorized`.
 */
export type TokenSource = (refused?: string) => Promise<string>;

const REREAD_MS = 60_000;

/** Checks that `text` can stand in a header, and cuts the line end that files have. */
export function checkedToken(text: string, from: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const found = token === '' ? 'is empty' : 'holds characters that no token has';
  throw new PortcullisError('Unauthorized', `the token ${from} ${found}: store a valid service account token there`);
}

/** A token that somebody else renews in a file: read at most once a minute, and at once when the remembered one was refused. */
export function tokenFile(path: string, clock: Clock): TokenSource {
  let known: { readonly token: string; readonly readAt: number } | undefined;
  const read = async (): Promise<string> => {
    try {
      return checkedToken(await readFile(path, 'utf8'), `in ${path}`);
    } catch (error) {
      if (error instanceof PortcullisError) throw error;
      const sentence = `the token file ${JSON.stringify(path)} cannot be read (${messageOf(error)}): check the path and its permissions`;
      throw new PortcullisError('Unauthorized', sentence, { cause: error });
    }
  };
  return async (refused) => {
    const now = clock.monotonic();
    if (known !== undefined && known.token !== refused && now - known.readAt < REREAD_MS) return known.token;
    try {
      known = { token: await read(), readAt: now };
    } catch (error) {
      // A file that is being replaced may be missing for an instant: the token in hand is still the best one.
      if (known === undefined || known.token === refused) throw error;
    }
    return known.token;
  };
}
