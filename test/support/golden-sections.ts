import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { assertGolden } from './golden.ts';

/** A golden file of many sections, each under `# ` and a sentence, which are compared one by one. */
export interface GoldenSections {
  /** Compares a section, which begins with its heading, with the one that a reviewer has seen. */
  readonly expect: (sentence: string, text: string) => void;
  /** Compares, or writes, the file as a whole: nothing more is in it. */
  readonly end: () => void;
}

export function goldenSections(file: string): GoldenSections {
  const seen = existsSync(file) ? readFileSync(file, 'utf8').split(/\n(?=# )/) : [];
  const texts: string[] = [];
  return {
    expect: (sentence, text) => {
      texts.push(text);
      if (process.env['UPDATE_GOLDEN'] !== undefined) return;
      const known = seen.find((section) => section.startsWith(`# ${sentence}\n`)) ?? '';
      assert.equal(text.trimEnd(), known.trimEnd());
    },
    end: () => assertGolden(file, `${texts.map((text) => text.trimEnd()).join('\n\n')}\n`),
  };
}
