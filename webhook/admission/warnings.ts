import { plain } from '../../src/rules/engine/safe-text.ts';

/** The limits of all warnings of a webhook, in characters. The API server cuts the warnings if both webhooks together exceed 4,096 characters. */
const TOTAL = { mutate: 1_000, validate: 2_600 } as const;
/** The maximum length of one warning, in characters. */
const LONGEST = 600;

/** Returns the warnings of a response, each on one line. Omits duplicates, and warnings beyond the limits. */
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
