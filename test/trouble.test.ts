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
  [...cell.matchAll(/`(test\/[\w/.-]+\.test\.ts)`: ((?:(?!; `|$).)+)/g)].map(([, file = '', title = '']) => ({
    file,
    title: title.trim(),
  }));

describe('docs/trouble.md', () => {
  const rows = readFileSync(join(root, 'docs/trouble.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| .* \| .* \| .* \|$/.test(line) && !line.startsWith('| Trouble |'))
    .map((line) => line.slice(2, -2).split(' | '));

  it('has rows', () => assert.ok(rows.length > 40));

  for (const [trouble = '', , evidence = ''] of rows) {
    it(`says of "${trouble}" what shows it, or that nothing does`, () => {
      const shown = shownBy(evidence);
      assert.ok(shown.length > 0 || evidence.startsWith('no: '), evidence);
      for (const { file, title } of shown) {
        const path = join(root, file);
        assert.ok(existsSync(path) && readFileSync(path, 'utf8').includes(title), `${file} has no "${title}"`);
      }
    });
  }
});
