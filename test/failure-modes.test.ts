import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './support/manifests.ts';

interface Shown {
  readonly file: string;
  readonly title: string;
}

/** Returns the tests in the last cell of a row: `file`: title; `file`: title. */
const shownBy = (cell: string): readonly Shown[] =>
  [...cell.matchAll(/`(test\/[\w/.-]+\.ts)`: ((?:(?!; `|$).)+)/g)].map(([, file = '', title = '']) => ({
    file,
    title: title.trim(),
  }));

/** Returns the cells of the rows of all tables with this head. */
function rowsUnder(head: string, page: string): readonly (readonly string[])[] {
  const tables = readFileSync(join(root, page), 'utf8').split(`| ${head} | Shown by |\n|---|---|---|\n`).slice(1);
  return tables.flatMap((table) => {
    const [rows = ''] = table.split('\n\n', 1);
    return rows
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(2, -2).split(' | '));
  });
}

/** The pages about failures name a test as evidence for each row. A renamed or deleted test would leave a claim without evidence. */
for (const [page, head, atLeast] of [
  ['docs/concepts/failure-modes.md', 'Failure | Behavior', 40],
  ['docs/concepts/security-model.md', 'Threat | Behavior', 20],
  ['docs/concepts/security-model.md', 'Action | Possible', 15],
  ['docs/concepts/node-failure-modes.md', 'Case | Behavior', 40],
] as const) {
  describe(page, () => {
    const rows = rowsUnder(head, page);

    it('has rows', () => assert.ok(rows.length > atLeast, `${rows.length}`));

    for (const [what = '', here = '', evidence = '', ...rest] of rows) {
      it(`has a test for "${what}", or a reason`, () => {
        assert.deepEqual([here === '', rest], [false, []], 'a row has three cells');
        const shown = shownBy(evidence);
        assert.ok(shown.length > 0 || evidence.startsWith('no: '), evidence);
        for (const { file, title } of shown) {
          const path = join(root, file);
          assert.ok(existsSync(path) && readFileSync(path, 'utf8').includes(title), `${file} has no "${title}"`);
        }
      });
    }
  });
}

/** The number of known cases about Nodes and routes, by the letter of their id. */
const KNOWN = { N: 23, U: 20, D: 7 } as const;

describe('docs/concepts/node-failure-modes.md', () => {
  it('has a row for every known case, in order', () => {
    const rows = rowsUnder('Case | Behavior', 'docs/concepts/node-failure-modes.md');
    const ids = rows.map(([what = '']) => what.split(' ', 1)[0]);
    const all = Object.entries(KNOWN).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, index) => `${letter}-${String(index + 1).padStart(2, '0')}`),
    );
    assert.deepEqual(ids, all);
  });
});
