import { plain } from '../../src/rules/engine/text.ts';

/**
 * The most characters of one webhook's warnings. If a request has more than 4,096, the API server cuts each warning to 256 and drops the rest. The
 * mutating and the validating webhook share this limit.
 */
const TOTAL = { mutate: 1_000, validate: 2_600 } as const;
const LONGEST = 600;

/** Returns each text once, on one line and within the limits. The last warning tells if there are more. */
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
