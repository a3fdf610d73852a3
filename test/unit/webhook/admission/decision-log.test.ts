import assert from 'node:assert/strict';
import { pino } from 'pino';
import { rootLogger } from '../../../../src/base/log.ts';
import { decisionLog, type Decided } from '../../../../webhook/admission/decision-log.ts';
import { readReview } from '../../../../webhook/admission/admission-review.ts';
import { aReview } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) };
const decided: Decided = {
  path: 'validate',
  request: readReview(aReview({ object: aService(), uid: 'u-1' })),
  decision: 'allowed',
  ms: 1.23456,
};

function linesOf(write: (output: { write: (line: string) => void }) => void): readonly Record<string, unknown>[] {
  let text = '';
  write({ write: (line) => void (text += line) });
  const lines = text.split('\n');
  assert.equal(lines.pop(), '', 'the last line has its end');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Operators find decisions by these fields, and no log line may contain the values of a user. */
describe('the log line of a decision', () => {
  it('starts like every log line', () => {
    const [own, ordinary] = linesOf((output) => {
      const log = rootLogger('info', output);
      decisionLog(log, output, clock)(decided);
      log.info('decided');
    });
    const places = (line: Record<string, unknown> = {}): readonly string[] =>
      Object.keys(line).filter((key) => ['level', 'time', 'msg'].includes(key));
    assert.deepEqual(places(own), places(ordinary));
    assert.deepEqual([own?.['level'], own?.['msg']], [ordinary?.['level'], ordinary?.['msg']]);
    assert.match(String(ordinary?.['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(own?.['time'], '2026-01-02T03:04:05.006Z');
  });

  it('omits fields without a value, and gives the duration in milliseconds with three decimals', () => {
    const [line] = linesOf((output) => decisionLog(rootLogger('info', output), output, clock)(decided));
    assert.deepEqual(Object.keys(line ?? {}), [
      ...['level', 'time', 'path', 'decision', 'uid', 'operation', 'kind', 'object', 'user', 'ms', 'msg'],
    ]);
    assert.equal(line?.['ms'], 1.235);
  });

  it('contains the trace of the request', () => {
    const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
    const [line] = linesOf((output) => decisionLog(rootLogger('info', output), output, clock)({ ...decided, trace }));
    assert.deepEqual([line?.['traceId'], line?.['spanId']], [trace.traceId, trace.spanId]);
  });

  it('is a single line, whatever the names contain', () => {
    const request = { ...decided.request, name: 'a\nb"\\\u2028', uid: '\u0000', namespace: '' };
    const lines = linesOf((output) => decisionLog(rootLogger('info', output), output, clock)({ ...decided, request }));
    assert.deepEqual(
      lines.map(({ object, uid }) => [object, uid]),
      [['a\\u000ab"\\\\u2028', '\\u0000']],
    );
  });

  it('is omitted at a higher log level', () => {
    assert.deepEqual(
      linesOf((output) => decisionLog(pino({ level: 'warn' }), output, clock)(decided)),
      [],
    );
  });
});
