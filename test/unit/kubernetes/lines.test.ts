import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { lines } from '../../../src/kubernetes/lines.ts';

async function* chunks(...texts: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

const snowman = Buffer.from('☃\n');

const cases: Record<string, readonly [AsyncIterable<Buffer>, readonly string[]]> = {
  'splits several lines of one chunk': [chunks('a\nb\n'), ['a', 'b']],
  'joins a line from several chunks': [chunks('a', 'b', 'c\nd\n'), ['abc', 'd']],
  'keeps a character whole that is cut between chunks': [chunks(snowman.subarray(0, 1), snowman.subarray(1)), ['☃']],
  'skips empty lines': [chunks('\n\na\n\n'), ['a']],
  'drops a last line without an end: it may be half of one': [chunks('a\nhalf'), ['a']],
  'gives nothing for nothing': [chunks(), []],
};

describe('lines', () => {
  for (const [sentence, [stream, expected]] of Object.entries(cases)) {
    it(sentence, async () => assert.deepEqual((await Array.fromAsync(lines(stream))).flat(), expected));
  }

  it('come together when they came together, in batches that have an end', async () => {
    const hundred = Array.from({ length: 100 }, (_, at) => `line ${at}`);
    const batches = await Array.fromAsync(lines(chunks('a\nb\nc', '\n', `${hundred.join('\n')}\n`)));
    assert.deepEqual(batches, [['a', 'b'], ['c'], hundred.slice(0, 64), hundred.slice(64)]);
  });

  it('leaves out what is not wanted, also where it comes in pieces', async () => {
    const wanted = lines(chunks('keep 1\ndr', 'op\nke', 'ep 2\n'), (line) => line.includes('keep'));
    assert.deepEqual((await Array.fromAsync(wanted)).flat(), ['keep 1', 'keep 2']);
  });

  it('has what was read collected every few megabytes', async () => {
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

  it('lets others run while it works through much at once', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    try {
      const much = Buffer.from(`${'x'.repeat(1000)}\n`.repeat(20_000));
      for await (const batch of lines(chunks(much))) JSON.stringify(batch.map((line) => line.split('x')));
    } finally {
      clearInterval(timer);
    }
    assert.ok(turns > 0);
  });
});
