import { cutToCharacters } from '../base/cut-text.ts';
import { withoutCredentials } from '../base/credential-mask.ts';

const QUOTES = /["'`]/;
const PLACEHOLDER = /\$\{|\{\{|<[^<>]*>/;

/** Returns whether an id is a placeholder such as `lb-xxx`, `vsw-bp1xxxx` or `your-cert-id`. No id of the cloud has this form. */
export const isPlaceholder = (id: string): boolean =>
  id.startsWith('your') || (id.endsWith('xxx') && (id.endsWith('xxxx') || id.endsWith('-xxx')));

const LONGEST_QUOTE = 60;

/** Quotes a user's text for a message: on one line, cut to `LONGEST_QUOTE` characters, and without credentials. */
export const quote = (text: string): string => JSON.stringify(cutToCharacters(withoutCredentials(text), LONGEST_QUOTE));

/** Returns the fix for a formatting error of an invalid value; undefined without a formatting error. */
export function formatHint(text: string): string | undefined {
  if (QUOTES.test(text)) return 'remove the quotation marks from the value';
  if (PLACEHOLDER.test(text) || isPlaceholder(text)) return 'replace the placeholder';
  const trimmed = text.trim();
  if (text !== '' && trimmed === '') return 'replace the spaces';
  if (text !== trimmed) return `remove the spaces around ${quote(trimmed)}`;
  return undefined;
}
