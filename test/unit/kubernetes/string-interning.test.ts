import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { SharedTexts } from '../../../src/kubernetes/string-interning.ts';

/** Prints the memory in MiB of parsed objects with few different texts. A separate program, because its heap contains nothing else. */
const MEASURE = `
  import { SharedTexts } from ${JSON.stringify(import.meta.resolve('../../../src/kubernetes/string-interning.ts'))};
  const text = (n) => JSON.stringify({ zone: 'cn-hangzhou-a-is-where-it-is', since: '2026-01-01T00:00:00Z', own: 'object-' + n });
  const texts = new SharedTexts();
  const parsed = { apart: JSON.parse, shared: (said) => texts.share(JSON.parse(said)) }[process.argv[1]];
  const used = () => (gc(), process.memoryUsage().heapUsed);
  const before = used();
  const all = Array.from({ length: 60_000 }, (_, n) => parsed(text(n)));
  const after = used();
  if (all.length === 60_000) console.log((after - before) / 2 ** 20);
`;
const FLAGS = ['--expose-gc', '--no-warnings', '--input-type=module', '--eval', MEASURE];

const retainedBy = (how: 'apart' | 'shared'): number =>
  Number(execFileSync(process.execPath, [...FLAGS, how], { encoding: 'utf8' }));

/** Objects repeat the same texts many times, so unshared copies would take much memory in large caches. */
describe('shared texts', () => {
  it('leave all data equal', () => {
    const texts = new SharedTexts();
    const long = 'x'.repeat(1_000);
    const data = { a: 'one', b: ['one', { c: 'one', d: null }], e: 1, f: true, g: long, h: {}, i: [] };
    for (let n = 0; n < 3; n++) assert.deepEqual(texts.share(structuredClone(data)), data);
    for (const lone of ['one', 1, null, undefined]) assert.equal(texts.share(lone), lone);
  });

  it('leave all data equal after very many different texts', () => {
    const texts = new SharedTexts();
    for (let n = 0; n < 10_000; n++) {
      const data = { own: `text ${n}`, common: 'common', seldom: `seldom ${n % 3_000}` };
      assert.deepEqual(texts.share(structuredClone(data)), data);
    }
  });

  it('need no memory for repeated texts', () => {
    // Two texts of 40 bytes each are stored once in place of 60,000 times.
    const saved = retainedBy('apart') - retainedBy('shared');
    assert.ok(saved > 1, `${saved.toFixed(2)} MiB are saved`);
  });
});
