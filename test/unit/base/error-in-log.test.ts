import assert from 'node:assert/strict';
import { PortcullisError } from '../../../src/base/errors.ts';
import { rootLogger } from '../../../src/base/log.ts';

/** Returns the fields of an error in a log line. */
function logged(error: unknown): Readonly<Record<string, unknown>> {
  let line = '';
  rootLogger('info', { write: (text) => void (line = text) })
    .child({ controller: 'service' })
    .warn({ err: error }, 'reconcile failed');
  return (JSON.parse(line) as { readonly err: Readonly<Record<string, unknown>> }).err;
}

/** A stack helps only with a defect. In other errors, the stack hides the advice. */
describe('a logged error', () => {
  it('has no stack if its message contains advice', () => {
    const cause = new Error('socket hang up');
    const error = new PortcullisError('Unavailable', 'GET /api/v1/services: no answer: socket hang up', { cause });
    assert.deepEqual(logged(error), {
      type: 'PortcullisError',
      reason: 'Unavailable',
      message: 'GET /api/v1/services: no answer: socket hang up',
    });
  });

  it('contains the ids for a support request', () => {
    const error = new PortcullisError('Forbidden', 'not allowed', { code: 'Forbidden.RAM', requestId: 'R-1' });
    assert.deepEqual(logged(error), {
      type: 'PortcullisError',
      reason: 'Forbidden',
      message: 'not allowed',
      code: 'Forbidden.RAM',
      requestId: 'R-1',
    });
  });

  it('contains causes that its message lacks', () => {
    const cause = new Error('connect ECONNREFUSED', { cause: new Error('port 1') });
    const { message } = logged(new PortcullisError('Unavailable', 'the cloud cannot be reached', { cause }));
    assert.equal(message, 'the cloud cannot be reached: connect ECONNREFUSED: port 1');
  });

  it('has its stack and the stacks of its causes if it is a defect of Portcullis', () => {
    for (const error of [new TypeError('x is undefined'), new PortcullisError('Bug', 'x is undefined')]) {
      const { message, stack } = logged(error);
      assert.equal(message, 'x is undefined');
      assert.match(String(stack), /error-in-log\.test\.ts/);
    }
    const { stack } = logged(new PortcullisError('Bug', 'broken', { cause: new RangeError('too deep') }));
    assert.match(String(stack), /caused by: RangeError: too deep\n {4}at /);
  });

  it('stays unchanged if it is not an error', () => {
    assert.equal(logged('just a text'), 'just a text');
  });

  it('has a finite message with circular causes', () => {
    const error: Error = new PortcullisError('Unavailable', 'away');
    error.cause = error;
    assert.equal(logged(error)['message'], 'away');
  });
});
