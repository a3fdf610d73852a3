import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { assertGolden } from './golden.ts';

/** A golden file whose sections are compared one by one. Each section begins with `# ` and its title. */
export interface GoldenSections {
  /** Compares a section, including its heading, with the reviewed section. */
  readonly expect: (title: string, text: string) => void;
  /** Compares or writes the complete file, which must contain no other sections. */
  readonly end: () => void;
}

export function goldenSections(file: string): GoldenSections {
  const seen = existsSync(file) ? readFileSync(file, 'utf8').split(/\n(?=# )/) : [];
  const texts: string[] = [];
  return {
    expect: (title, text) => {
      texts.push(text);
      if (process.env['UPDATE_GOLDEN'] !== undefined) return;
      const known = seen.find((section) => section.startsWith(`# ${title}\n`)) ?? '';
      assert.equal(text.trimEnd(), known.trimEnd());
    },
    end: () => assertGolden(file, `${texts.map((text) => text.trimEnd()).join('\n\n')}\n`),
  };
}
