import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './support/manifests.ts';

interface Shown {
  readonly file: string;
  readonly title: string;
}

/** What the last cell of a row names: `file`: title; `file`: title. */
const shownBy = (cell: string): readonly Shown[] =>
  [...cell.matchAll(/`(test\/[\w/.-]+\.ts)`: ((?:(?!; `|$).)+)/g)].map(([, file = '', title = '']) => ({
    file,
    title: title.trim(),
  }));

/** The rows of the tables with this head, such as `| Failure | Behavior | Shown by |`, cell by cell. */
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
      it(`says of "${what}" what shows it, or that nothing does`, () => {
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

/** By the letter of their numbers, how many traps, reports of users and open questions about Nodes and routes are known. */
const KNOWN = { N: 23, U: 20, D: 7 } as const;

describe('docs/concepts/node-failure-modes.md', () => {
  it('has a line for everything that is known, in order', () => {
    const rows = rowsUnder('Case | Behavior', 'docs/concepts/node-failure-modes.md');
    const ids = rows.map(([what = '']) => what.split(' ', 1)[0]);
    const all = Object.entries(KNOWN).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, index) => `${letter}-${String(index + 1).padStart(2, '0')}`),
    );
    assert.deepEqual(ids, all);
  });
});
