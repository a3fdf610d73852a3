import { plain } from '../../src/rules/engine/text.ts';

/**
 * Characters that the API server passes on of one webhook's warnings. Once those of a request pass 4,096 in all, it cuts each to 256 and
 * drops the rest; the mutating and the validating webhook speak of the same request.
 */
const TOTAL = { mutate: 1_000, validate: 2_600 } as const;
const LONGEST = 600;

/** The texts, each once, on a line of its own and cut to what is passed on; the last one says when there are more. */
export function warningsOf(
  texts: Iterable<string>,
  whose: string,
  path: keyof typeof TOTAL,
): { readonly warnings?: readonly string[] } {
  const told = new Set<string>();
  let total = 0;
  for (const text of texts) {
    const warning = plain(text, LONGEST);
    if (told.has(warning)) continue;
    total += warning.length;
    if (total > TOTAL[path]) {
      told.add(`${whose}: there are more warnings; portcullis lint lists them all`);
      break;
    }
    told.add(warning);
  }
  return told.size === 0 ? {} : { warnings: [...told] };
}
