const QUOTES = /["'`]/;
const PLACEHOLDER = /\$\{|\{\{|<[^<>]*>/;

const LONGEST_QUOTE = 60;

/** A user's text within a sentence: on one line, and not too long. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);

/** What is wrong with how a text is written, whatever it should be; `undefined` when nothing shows. */
export function adviceOn(text: string): string | undefined {
  if (QUOTES.test(text)) return 'remove the quotes inside the value';
  if (PLACEHOLDER.test(text)) return 'put the real value in place of the placeholder';
  const trimmed = text.trim();
  if (text !== '' && trimmed === '') return 'write a value in place of the spaces';
  if (text !== trimmed) return `remove the spaces around ${quote(trimmed)}`;
  return undefined;
}
