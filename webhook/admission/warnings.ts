import { plain } from '../../src/rules/engine/safe-text.ts';

/**
 * The limits of all warnings of each webhook, in characters. If both webhooks exceed 4,096 characters together, the API server cuts each warning to
 * 256 characters and drops the rest.
 */
const TOTAL = { mutate: 1_000, validate: 2_600 } as const;
/** The maximum length of one warning, in characters. */
const LONGEST = 600;

/**
 * Returns the warnings for a response of `/mutate` or `/validate`: without duplicates, each on one line, within the limits. If warnings are dropped,
 * the last warning says so.
 */
export function warningsOf(
  texts: Iterable<string>,
  objectName: string,
  path: keyof typeof TOTAL,
): { readonly warnings?: readonly string[] } {
  const emitted = new Set<string>();
  let total = 0;
  for (const text of texts) {
    const warning = plain(text, LONGEST);
    if (emitted.has(warning)) continue;
    total += warning.length;
    if (total > TOTAL[path]) {
      emitted.add(`${objectName}: there are more warnings; portcullis lint lists them all`);
      break;
    }
    emitted.add(warning);
  }
  return emitted.size === 0 ? {} : { warnings: [...emitted] };
}
