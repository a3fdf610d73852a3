import { readFile } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';
import { PortcullisError, messageOf } from '../base/errors.ts';

/** Returns the bearer token. After a 401, the transport passes the token as `rejectedToken` to get another token. */
export type TokenSource = (rejectedToken?: string) => Promise<string>;

const REREAD_MS = 60_000;

/** Returns the token without its line end. Throws if the text is not a valid token. */
export function checkedToken(text: string, from: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const found = token === '' ? 'is empty' : 'contains characters that are invalid in a token';
  throw new PortcullisError('Unauthorized', `the token ${from} ${found}: store a valid service account token`);
}

/** Returns the source of tokens from a file. Caches a token for a minute, but not after its rejection. */
export function tokenFile(path: string, clock: Clock): TokenSource {
  let known: { readonly token: string; readonly readAt: number } | undefined;
  const read = async (): Promise<string> => {
    try {
      return checkedToken(await readFile(path, 'utf8'), `in ${path}`);
    } catch (error) {
      if (error instanceof PortcullisError) throw error;
      const message = `failed to read token file ${JSON.stringify(path)} (${messageOf(error)}): check the path and its permissions`;
      throw new PortcullisError('Unauthorized', message, { cause: error });
    }
  };
  return async (rejectedToken) => {
    const now = clock.monotonic();
    if (known !== undefined && known.token !== rejectedToken && now - known.readAt < REREAD_MS) return known.token;
    try {
      known = { token: await read(), readAt: now };
    } catch (error) {
      // The cached token stays in use, because the file may be missing for an instant during its replacement.
      if (known === undefined || known.token === rejectedToken) throw error;
    }
    return known.token;
  };
}
