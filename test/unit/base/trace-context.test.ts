import assert from 'node:assert/strict';
import { seededRandom } from '../../../src/local/simulator/id-source.ts';
import { inNewTrace, traceHeaders, traceId } from '../../../src/base/trace-context.ts';

/** Returns the id of a trace with these random numbers, and the headers of its first two calls. */
const traced = (random: () => number) => inNewTrace(random, () => [traceId(), traceHeaders(), traceHeaders()]);

/** The headers connect log lines of the API server and of Portcullis. */
describe('a trace', () => {
  it('has ids that only its random numbers determine', () => {
    assert.deepEqual(traced(seededRandom(1)), traced(seededRandom(1)));
    assert.notDeepEqual(traced(seededRandom(1)), traced(seededRandom(2)));
  });

  it('has as many digits as the header requires, for small and large numbers', () => {
    for (const number of [0, 0.5, 1 - Number.EPSILON])
      assert.match(
        inNewTrace(
          () => number,
          () => traceHeaders().traceparent ?? '',
        ),
        /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/,
      );
  });

  it('is absent outside of a traced function', () => {
    assert.deepEqual([traceId(), traceHeaders()], [undefined, {}]);
  });
});
