import { cutToCharacters } from '../base/cut.ts';
import { withoutCredentials } from '../base/credentials.ts';

const QUOTES = /["'`]/;
const PLACEHOLDER = /\$\{|\{\{|<[^<>]*>/;

/** Whether an id was never filled in: `lb-xxx`, `vsw-bp1xxxx`, `your-cert-id`. The cloud gives none that looks like it. */
export const isPlaceholder = (id: string): boolean =>
  id.startsWith('your') || (id.endsWith('xxx') && (id.endsWith('xxxx') || id.endsWith('-xxx')));

const LONGEST_QUOTE = 60;

/** A user's text within a sentence: on one line, not too long, and without credentials. */
export const quote = (text: string): string => JSON.stringify(cutToCharacters(withoutCredentials(text), LONGEST_QUOTE));

/** What is wrong with how a text is written, whatever it should be; `undefined` when nothing shows. */
export function formatHint(text: string): string | undefined {
  if (QUOTES.test(text)) return 'remove the quotes inside the value';
  if (PLACEHOLDER.test(text) || isPlaceholder(text)) return 'put the real value in place of the placeholder';
  const trimmed = text.trim();
  if (text !== '' && trimmed === '') return 'write a value in place of the spaces';
  if (text !== trimmed) return `remove the spaces around ${quote(trimmed)}`;
  return undefined;
}
