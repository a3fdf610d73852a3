import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED } from './support/generate.ts';
import { root } from './support/manifests.ts';
import { printed, proseFindings, sentencesOf, wordFindings } from './support/prose.ts';

const read = (page: string): string => readFileSync(join(root, page), 'utf8');
const generated = GENERATED.map(({ path }) => path).filter((path) => path.endsWith('.md'));
const written = ['README.md', ...globSync('docs/**/*.md', { cwd: root }).sort()].filter(
  (page) => !generated.includes(page),
);

const words = (count: number): string => `${Array.from({ length: count }, (_, index) => `w${index}`).join(' ')}.`;
const textsOf = (page: string): readonly string[] => sentencesOf(page).map(({ text }) => text);
const messagesOf = (page: string): readonly string[] => proseFindings(page).map(({ message }) => message);

/** Long sentences and unusual words make the documentation hard to read. */
describe('the prose of the documentation', () => {
  for (const page of written)
    it(`${page} has short sentences and plain words`, () =>
      assert.deepEqual(
        proseFindings(read(page)).map((finding) => printed(page, finding)),
        [],
      ));

  for (const page of ['README.zh-CN.md', ...generated])
    it(`${page} has plain words`, () =>
      assert.deepEqual(
        wordFindings(read(page)).map((finding) => printed(page, finding)),
        [],
      ));
});

describe('the sentences of a page', () => {
  for (const [what, page, expected] of [
    [
      'end at a full stop',
      'One stands here. Two\nstands there. Three',
      ['One stands here.', 'Two stands there.', 'Three'],
    ],
    ['do not end at a stop in a word', 'Version 0.1.0 runs, e.g. here.', ['Version 0.1.0 runs, e.g. here.']],
    ['end at a question mark and in brackets', 'Why? (Because.) So.', ['Why?', '(Because.)', 'So.']],
    ['are the items of a list', '- one\n  and more\n- two\n\n1. three', ['one and more', 'two', 'three']],
    [
      'are the cells of a table',
      '| a | b |\n|---|---|\n| c. C | `d | e` \\| f |',
      ['a', 'b', 'c.', 'C', '`d | e` | f'],
    ],
    ['are also those of a quotation', '> One.\n> Two.', ['One.', 'Two.']],
    ['are not in fenced blocks', 'See:\n\n```bash\nrun this. now\n```\n\nDone.', ['See:', 'Done.']],
    ['are not in comments and headings', '<!-- no -->\n# Head. Line\n\nYes.', ['Yes.']],
    ['do not contain the targets of links', 'See [the page](x.md#a.b).', ['See the page.']],
    [
      'do not contain a title of a test that follows the path of its file',
      '| `test/a.test.ts`: is told; `test/b.test.ts`: is not |',
      ['`test/a.test.ts`; `test/b.test.ts`'],
    ],
  ] as const)
    it(what, () => assert.deepEqual(textsOf(page), expected));

  it('have the numbers of their lines', () =>
    assert.deepEqual(
      sentencesOf('# Head\n\nOne is\n`on\ntwo` lines. Next\none.\n\n```\nx\n```\n\n- item').map(({ line }) => line),
      [3, 5, 12],
    ));

  it('count code as one word', () =>
    assert.deepEqual(
      sentencesOf('Run `kubectl get clb --watch` now.').map(({ words: count }) => count),
      [3],
    ));
});

describe('the rules of prose', () => {
  it('find a sentence of over 35 words', () => {
    const short = Array.from({ length: 5 }, () => words(5)).join(' ');
    assert.deepEqual(messagesOf(`${words(35)} ${short}`), []);
    const [message = '', ...rest] = messagesOf(`${short} ${words(36)}`);
    assert.match(message, /^36 words, at most 35: w0 w1 /);
    assert.deepEqual(rest, []);
  });

  it('find an average of over 18 words a sentence, and do not count the words of short labels', () => {
    const labels = '\n\n| a | b | c | d |\n|---|---|---|---|\n| e | f | g | h |';
    assert.deepEqual(messagesOf(`${words(17)} ${words(19)}${labels}`), []);
    assert.deepEqual(messagesOf(`${words(18)} ${words(19)}${labels}`), [
      '18.5 words a sentence on average: at most 18',
    ]);
  });

  for (const text of [
    ...['It waits for people.', 'Somebody did it.', 'Nobody can.', 'Anybody may.', 'It is told.', 'A label tells it.'],
    ...['It judges a Service.', 'It is judged.', 'The judge is here.', 'It reads the mirror.', 'One beside another.'],
    ...['A plan is carried out.', 'The controller carries out a plan.', 'It is looked after.', 'It is let go.'],
    ...['It waits in vain.', 'A stray backend.', 'The heir gets it.', 'They doubt it.', 'It starts the stand.'],
  ])
    it(`find the word in "${text}"`, () => {
      const [finding, ...rest] = wordFindings(`Fine.\n\n- [${text}](x.md)`);
      assert.deepEqual([finding?.line, rest], [3, []]);
      assert.ok(finding?.message.endsWith(text));
    });

  for (const text of ['Use `people` and `beside`.', 'See [x](people.md).', 'It stands.', 'It is ashtray.'])
    it(`allow "${text}"`, () => assert.deepEqual(messagesOf(text), []));
});
