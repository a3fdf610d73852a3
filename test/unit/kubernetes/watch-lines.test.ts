import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { lines } from '../../../src/kubernetes/watch-lines.ts';

async function* chunks(...texts: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

const snowman = Buffer.from('☃\n');

const cases: Record<string, readonly [AsyncIterable<Buffer>, readonly string[]]> = {
  'can share a chunk': [chunks('a\nb\n'), ['a', 'b']],
  'can consist of several chunks': [chunks('a', 'b', 'c\nd\n'), ['abc', 'd']],
  'have whole characters, even if chunks split a character': [
    chunks(snowman.subarray(0, 1), snowman.subarray(1)),
    ['☃'],
  ],
  'are never empty': [chunks('\n\na\n\n'), ['a']],
  'exclude a last line without an end, which may be incomplete': [chunks('a\nhalf'), ['a']],
  'are none without input': [chunks(), []],
};

/** A watch is a stream of lines, so a lost or damaged line is a missed change. */
describe('the lines of a stream', () => {
  for (const [title, [stream, expected]] of Object.entries(cases)) {
    it(title, async () => assert.deepEqual((await Array.fromAsync(lines(stream))).flat(), expected));
  }

  it('arrive in batches as received, with a limit', async () => {
    const hundred = Array.from({ length: 100 }, (_, at) => `line ${at}`);
    const batches = await Array.fromAsync(lines(chunks('a\nb\nc', '\n', `${hundred.join('\n')}\n`)));
    assert.deepEqual(batches, [['a', 'b'], ['c'], hundred.slice(0, 64), hundred.slice(64)]);
  });

  it('exclude unwanted lines, even in several chunks', async () => {
    const wanted = lines(chunks('keep 1\ndr', 'op\nke', 'ep 2\n'), (line) => line.includes('keep'));
    assert.deepEqual((await Array.fromAsync(wanted)).flat(), ['keep 1', 'keep 2']);
  });

  it('release memory every few megabytes', async () => {
    const megabyte = Buffer.alloc(1_000_000, 'line\n');
    let collected = 0;
    const unwanted = lines(
      Readable.from(Array<Buffer>(10).fill(megabyte)),
      () => false,
      () => (collected += 1),
    );
    await Array.fromAsync(unwanted);
    assert.equal(collected, 2);
  });

  it('yield to other work during a large chunk', async () => {
    let steps = 0;
    const timer = setInterval(() => (steps += 1), 1);
    try {
      const much = Buffer.from(`${'x'.repeat(1000)}\n`.repeat(20_000));
      for await (const batch of lines(chunks(much))) JSON.stringify(batch.map((line) => line.split('x')));
    } finally {
      clearInterval(timer);
    }
    assert.ok(steps > 0);
  });
});
