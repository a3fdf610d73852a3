import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SharedTexts } from '../../../src/kubernetes/shared-texts.ts';

const OBJECTS = 20_000;
/** What people and machines say again and again, and one text that is said once. */
const objectText = (n: number): string =>
  JSON.stringify({
    zone: 'cn-hangzhou-a-is-where-it-is',
    since: '2026-01-01T00:00:00Z',
    own: `object-${n}`,
    list: [{ reason: 'AsItWasBefore' }],
  });

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What so many parsed objects hold, in MiB. */
function heldBy(parsed: (text: string) => unknown): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const all = Array.from({ length: OBJECTS }, (_, n) => parsed(objectText(n)));
  collectGarbage();
  const held = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  assert.equal(all.length, OBJECTS);
  return held;
}

describe('shared texts', () => {
  it('leave all data equal', () => {
    const texts = new SharedTexts();
    const long = 'x'.repeat(1_000);
    const data = { a: 'one', b: ['one', { c: 'one', d: null }], e: 1, f: true, g: long, h: {}, i: [] };
    for (let n = 0; n < 3; n++) assert.deepEqual(texts.within(structuredClone(data)), data);
    for (const lone of ['one', 1, null, undefined]) assert.equal(texts.within(lone), lone);
  });

  it('leave all data equal also when very many others have come between', () => {
    const texts = new SharedTexts();
    for (let n = 0; n < 10_000; n++) {
      const data = { own: `text ${n}`, common: 'common', seldom: `seldom ${n % 3_000}` };
      assert.deepEqual(texts.within(structuredClone(data)), data);
    }
  });

  it('take the room of texts that come again', () => {
    const texts = new SharedTexts();
    const apart = heldBy((text) => JSON.parse(text));
    const shared = heldBy((text) => texts.within(JSON.parse(text)));
    // Three texts of 32 to 48 bytes each are held once in place of 20,000 times.
    assert.ok(apart - shared > 1.5, `${apart.toFixed(1)} MiB, and shared ${shared.toFixed(1)} MiB`);
  });
});
