const WORD_DIGITS = 8;

/** Returns `words` times eight random hexadecimal digits. `random` works like `Math.random`. */
export const randomHex = (random: () => number, words: number): string =>
  Array.from({ length: words }, () =>
    Math.floor(random() * 16 ** WORD_DIGITS)
      .toString(16)
      .padStart(WORD_DIGITS, '0'),
  ).join('');
