import assert from 'node:assert/strict';
import { traceOf } from '../../../../webhook/server/trace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

/** A forged trace header must not corrupt logs. */
describe('the trace of a request', () => {
  const good: Record<string, string> = {
    'with the recorded flag': `00-${TRACE}-${SPAN}-01`,
    'without the recorded flag': `00-${TRACE}-${SPAN}-00`,
    'of a later version with further fields': `cc-${TRACE}-${SPAN}-01-what-the-future-holds`,
  };
  for (const [what, traceparent] of Object.entries(good)) {
    it(`is the trace of its header ${what}`, () => {
      assert.deepEqual(traceOf({ traceparent }), { traceId: TRACE, spanId: SPAN });
    });
  }

  const bad: Record<string, string | undefined> = {
    'without a header': undefined,
    'with an empty header': '',
    'with a header longer than its version allows': `00-${TRACE}-${SPAN}-01-more`,
    'with an invalid version': `ff-${TRACE}-${SPAN}-01`,
    'with a trace of zeros': `00-${'0'.repeat(32)}-${SPAN}-01`,
    'with a span of zeros': `00-${TRACE}-${'0'.repeat(16)}-01`,
    'in capitals': `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    'with a short trace': `00-${TRACE.slice(1)}-${SPAN}-01`,
    'with two headers': `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    'with text that forges a line': `00-${TRACE}-${SPAN}-01\n{"level":"info"}`,
  };
  for (const [what, traceparent] of Object.entries(bad)) {
    it(`is absent ${what}`, () => {
      assert.equal(traceOf({ traceparent }), undefined);
    });
  }
});
