import type { RequestedDeprecatedKey, DeprecatedPair, Rewrite } from './deprecated-keys.ts';

/** The names of an object, for the texts of warnings. */
export interface Named {
  /** For the start of a warning: `Service shop/web`. */
  readonly objectName: string;
  /** For a `kubectl` command: `service web -n shop`. */
  readonly argument: string;
}

const removal = ({ argument }: Named, key: string): string => `kubectl annotate ${argument} ${key}-`;

function deprecatedText({ old, current, isReplaced, takesEffect }: RequestedDeprecatedKey): string {
  if (!takesEffect)
    return `the annotation ${old} is deprecated and has no effect: ${current} takes effect; remove ${old}`;
  const stored = isReplaced ? `stores ${current} instead` : `also stores ${current}`;
  return `the annotation ${old} is deprecated: the webhook ${stored}; rename the annotation in your manifest`;
}

/** Returns a warning for each deprecated key that a request sets or removes, for the response of `/mutate`. */
export const rewriteTexts = (rewritten: Rewrite, named: Named): readonly string[] => {
  const { deprecated, contradictions, removedCopies, keptCopies } = rewritten;
  const ineffective = new Set(contradictions.map(({ old }) => old));
  const texts = [
    ...contradictions.map(
      ({ old, current }) =>
        `the annotations ${old} and ${current} have different values: ${current} takes effect; remove ${old} from your manifest`,
    ),
    ...removedCopies.map(
      ({ old, current }) =>
        `the annotation ${current} is removed: it was a copy of ${old}, and no manifest contains either key`,
    ),
    ...keptCopies.map(
      ({ old, current }) =>
        `the annotation ${old} is removed, and its copy ${current} stays; to remove the copy: ${removal(named, current)}`,
    ),
    ...deprecated.filter(({ old }) => !ineffective.has(old)).map(deprecatedText),
  ];
  return texts.map((text) => `${named.objectName}: ${text}`);
};

/** Returns a warning for each old key that a patch without effect may try to remove. */
export const unchangedTexts = (replaced: readonly DeprecatedPair[], named: Named): readonly string[] =>
  replaced.map(
    ({ old, current }) =>
      `${named.objectName}: no change: ${old} is stored as ${current}; to remove the annotation: ${removal(named, current)}`,
  );
