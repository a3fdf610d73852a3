const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Returns a generator (mulberry32) of numbers from 0 up to 1, exclusive. Equal seeds give equal numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The source of generated ids, addresses and request ids. */
export interface IdSource {
  /** Returns a resource id such as `lb-bp1…`. */
  id(prefix: string): string;
  /** Returns a UUID in upper case. */
  requestId(): string;
  /** Returns an integer from 0 up to `limit`, exclusive. */
  below(limit: number): number;
  /** Returns random characters for an access key or token. */
  characters(length: number): string;
}

/** Creates the source of a simulator. Equal seeds give equal ids, so that tests are repeatable. */
export function idSource(seed: number): IdSource {
  // The three generators are independent, so that a retry, which takes a request id, does not change later resource ids.
  const things = seededRandom(seed);
  const requests = seededRandom(seed ^ 0x5bd1e995);
  const secrets = seededRandom(seed ^ 0x1b873593);
  const word = (random: () => number, length: number): string =>
    Array.from({ length }, () => ALPHABET.charAt(Math.floor(random() * ALPHABET.length))).join('');
  return {
    id: (prefix) => `${prefix}bp1${word(things, 19)}`,
    requestId: () =>
      'xxxxxxxx-xxxx-5xxx-axxx-xxxxxxxxxxxx'
        .replace(/x/g, () => Math.floor(requests() * 16).toString(16))
        .toUpperCase(),
    below: (limit) => Math.floor(things() * limit),
    characters: (length) => word(secrets, length),
  };
}
