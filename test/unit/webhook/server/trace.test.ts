import assert from 'node:assert/strict';
import { traceOf } from '../../../../webhook/server/trace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('the trace of a request', () => {
  const good: Record<string, string> = {
    'that is recorded': `00-${TRACE}-${SPAN}-01`,
    'that is not recorded': `00-${TRACE}-${SPAN}-00`,
    'in a later version, which may say more': `cc-${TRACE}-${SPAN}-01-what-the-future-holds`,
  };
  for (const [what, traceparent] of Object.entries(good)) {
    it(`is the one of its header, ${what}`, () => {
      assert.deepEqual(traceOf({ traceparent }), { traceId: TRACE, spanId: SPAN });
    });
  }

  const bad: Record<string, string | undefined> = {
    'where there is no header': undefined,
    'of an empty header': '',
    'of a header that says more than its version knows': `00-${TRACE}-${SPAN}-01-more`,
    'of a version that is none': `ff-${TRACE}-${SPAN}-01`,
    'of zeros': `00-${'0'.repeat(32)}-${SPAN}-01`,
    'of a call of zeros': `00-${TRACE}-${'0'.repeat(16)}-01`,
    'in capitals': `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    'that is too short': `00-${TRACE.slice(1)}-${SPAN}-01`,
    'of two headers': `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    'of text that would forge a line': `00-${TRACE}-${SPAN}-01\n{"level":"info"}`,
  };
  for (const [what, traceparent] of Object.entries(bad)) {
    it(`is none ${what}`, () => {
      assert.equal(traceOf({ traceparent }), undefined);
    });
  }
});
