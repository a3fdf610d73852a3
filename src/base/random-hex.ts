const WORD_DIGITS = 8;

/** Returns a random hexadecimal text of `words` times eight digits, for trace ids and names of events. `random` returns a number from 0 up to 1. */
export const randomHex = (random: () => number, words: number): string =>
  Array.from({ length: words }, () =>
    Math.floor(random() * 16 ** WORD_DIGITS)
      .toString(16)
      .padStart(WORD_DIGITS, '0'),
  ).join('');
