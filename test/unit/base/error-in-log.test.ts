import assert from 'node:assert/strict';
import { PortcullisError } from '../../../src/base/errors.ts';
import { rootLogger } from '../../../src/base/log.ts';

/** Returns the fields of an error in a log line. */
function logged(error: unknown): Readonly<Record<string, unknown>> {
  let line = '';
  rootLogger('info', { write: (text) => void (line = text) })
    .child({ controller: 'service' })
    .warn({ err: error }, 'a turn failed');
  return (JSON.parse(line) as { readonly err: Readonly<Record<string, unknown>> }).err;
}

describe('an error in the log', () => {
  it('is told once, without a stack, where it says itself what to do', () => {
    const cause = new Error('socket hang up');
    const error = new PortcullisError('Unavailable', 'GET /api/v1/services: no answer: socket hang up', { cause });
    assert.deepEqual(logged(error), {
      type: 'PortcullisError',
      reason: 'Unavailable',
      message: 'GET /api/v1/services: no answer: socket hang up',
    });
  });

  it('has what to quote to those on the other side', () => {
    const error = new PortcullisError('Forbidden', 'not allowed', { code: 'Forbidden.RAM', requestId: 'R-1' });
    assert.deepEqual(logged(error), {
      type: 'PortcullisError',
      reason: 'Forbidden',
      message: 'not allowed',
      code: 'Forbidden.RAM',
      requestId: 'R-1',
    });
  });

  it('names causes of which it does not tell', () => {
    const cause = new Error('connect ECONNREFUSED', { cause: new Error('port 1') });
    const { message } = logged(new PortcullisError('Unavailable', 'the cloud cannot be reached', { cause }));
    assert.equal(message, 'the cloud cannot be reached: connect ECONNREFUSED: port 1');
  });

  it('has its stack, and those of its causes, where it is a defect of ours', () => {
    for (const error of [new TypeError('x is undefined'), new PortcullisError('Bug', 'x is undefined')]) {
      const { message, stack } = logged(error);
      assert.equal(message, 'x is undefined');
      assert.match(String(stack), /error-in-log\.test\.ts/);
    }
    const { stack } = logged(new PortcullisError('Bug', 'broken', { cause: new RangeError('too deep') }));
    assert.match(String(stack), /caused by: RangeError: too deep\n {4}at /);
  });

  it('is kept as it is when it is none', () => {
    assert.equal(logged('just a text'), 'just a text');
  });

  it('does not go round in a circle', () => {
    const error: Error = new PortcullisError('Unavailable', 'away');
    error.cause = error;
    assert.equal(logged(error)['message'], 'away');
  });
});
