const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Numbers in [0, 1), the same for the same seed (mulberry32: small, fast, good enough for ids). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Everything that the cloud makes up: ids, addresses, request ids. */
export interface IdSource {
  /** A resource id such as `lb-bp1…`. */
  id(prefix: string): string;
  /** An upper-case UUID. */
  requestId(): string;
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
  /** Random characters of an access key or token. */
  characters(length: number): string;
}

export function idSource(seed: number): IdSource {
  // Streams of their own, so that neither a retry (which takes a request id) nor a new key changes the ids of what is made later.
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
