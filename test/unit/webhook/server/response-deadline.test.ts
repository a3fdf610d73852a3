import assert from 'node:assert/strict';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { deadline, durationMs } from '../../../../webhook/server/response-deadline.ts';

/** The API server passes its timeout in the query of the URL, as a Go duration. */
describe('a Go duration', () => {
  const readable: Record<string, number> = { '3s': 3_000, '500ms': 500, '1m30s': 90_000, '1.5s': 1_500, '30s': 30_000 };
  for (const [text, ms] of Object.entries(readable)) {
    it(`${text} is ${ms} ms`, () => assert.equal(durationMs(text), ms));
  }
  for (const text of ['', '3', 's', '-3s', '3s ', '3h', '1e3s', `${'1'.repeat(50)}s`, '1s'.repeat(11)]) {
    it(`${JSON.stringify(text)} is invalid`, () => assert.equal(durationMs(text), undefined));
  }
});

/** A late response is useless, because the API server has already decided. */
describe('the deadline of a response', () => {
  const cases: Record<string, { timeout: string | undefined; inTime: number; late: number }> = {
    'is 300 ms before the timeout of the API server': { timeout: '3s', inTime: 2_699, late: 2_700 },
    'is based on ten seconds without a timeout in the query': { timeout: undefined, inTime: 9_699, late: 9_700 },
    'is based on ten seconds with an invalid timeout in the query': { timeout: 'soon', inTime: 9_699, late: 9_700 },
  };
  for (const [title, { timeout, inTime, late }] of Object.entries(cases)) {
    it(title, async () => {
      const clock = new VirtualClock();
      await clock.advance(1_000);
      const expired = deadline(timeout, clock.monotonic(), clock);
      await clock.advance(inTime);
      assert.equal(expired(), false);
      await clock.advance(late - inTime);
      assert.equal(expired(), true);
    });
  }

  it('is in the past if the timeout is shorter than the reserve', () => {
    const clock = new VirtualClock();
    assert.equal(deadline('200ms', clock.monotonic(), clock)(), true);
  });
});
