import type { RequestedDeprecatedKey, DeprecatedPair, Rewrite } from './deprecated-keys.ts';

/** The names of the object that a warning is about. */
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
  const where = isReplaced ? 'stored in its place' : 'stored too, with the same value';
  return `the annotation ${old} is deprecated: rename it in your manifest to ${current}, which is ${where}`;
}

/** Returns a warning for each deprecated key that a request sets or removes. */
export const rewriteTexts = (rewritten: Rewrite, named: Named): readonly string[] => {
  const { deprecated, contradictions, gone, keptCopies } = rewritten;
  const losers = new Set(contradictions.map(({ old }) => old));
  const texts = [
    ...contradictions.map(
      ({ old, current }) =>
        `the annotations ${old} and ${current} have different values: ${current} takes effect; remove ${old} from your manifest`,
    ),
    ...gone.map(
      ({ old, current }) => `the annotation ${current} is removed: it was a copy of ${old}, and no manifest has either`,
    ),
    ...keptCopies.map(
      ({ old, current }) =>
        `the annotation ${old} is removed, and its copy ${current} stays; if you do not want it: ${removal(named, current)}`,
    ),
    ...deprecated.filter(({ old }) => !losers.has(old)).map(deprecatedText),
  ];
  return texts.map((text) => `${named.objectName}: ${text}`);
};

/** Returns a warning for each old key that a command may have tried to remove, because it is stored under its current key. */
export const unchangedTexts = (replaced: readonly DeprecatedPair[], named: Named): readonly string[] =>
  replaced.map(
    ({ old, current }) =>
      `${named.objectName}: nothing changes: ${old} is stored as ${current}; if you want to remove it: ${removal(named, current)}`,
  );
