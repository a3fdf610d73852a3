import assert from 'node:assert/strict';
import { DeadlineExceeded } from '../../../src/base/deadline.ts';
import type { ApiCall, CallOutcome } from '../../../src/kubernetes/api-call.ts';
import { isNamespaceTerminating, decideCall, toError, wasUnsent } from '../../../src/kubernetes/call-retry.ts';

const READ: ApiCall = { method: 'GET', path: '/api/v1/nodes/a' };
const WRITE: ApiCall = { method: 'PATCH', path: '/api/v1/nodes/a', body: {} };
const answered = (status: number, retryAfterMs?: number): CallOutcome => ({
  kind: 'answer',
  status,
  text: JSON.stringify({ kind: 'Status', message: 'the message' }),
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
const withCode = (code: string): Error => Object.assign(new Error('it broke'), { code });
const unsent: CallOutcome = { kind: 'unsent', cause: withCode('ECONNREFUSED') };
const lost: CallOutcome = { kind: 'lost', cause: withCode('UND_ERR_SOCKET') };
const late: CallOutcome = { kind: 'lost', cause: new DeadlineExceeded(8000) };
const untrusted: CallOutcome = { kind: 'unsent', cause: withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE') };

const REASONS: Record<string, readonly [ApiCall, CallOutcome, string]> = {
  'is NotFound for an unknown object': [READ, answered(404), 'NotFound'],
  'is Conflict for a changed object': [WRITE, answered(409), 'Conflict'],
  'is Unauthorized for unknown credentials': [READ, answered(401), 'Unauthorized'],
  'is Forbidden for a missing permission': [WRITE, answered(403), 'Forbidden'],
  'is Unavailable for too many requests': [WRITE, answered(429), 'Unavailable'],
  'is Unavailable for an internal error': [WRITE, answered(500), 'Unavailable'],
  'is Unavailable for a redirect': [READ, answered(302), 'Unavailable'],
  'is Rejected for a rejected object': [WRITE, answered(422), 'Rejected'],
  'is Rejected for an expired version': [READ, answered(410), 'Rejected'],
  "is OutcomeUnknown for a write's timeout at the server": [WRITE, answered(504), 'OutcomeUnknown'],
  "is Unavailable for a read's timeout at the server": [READ, answered(504), 'Unavailable'],
  'is OutcomeUnknown for a write without a response': [WRITE, lost, 'OutcomeUnknown'],
  'is OutcomeUnknown for a write without a response in time': [WRITE, late, 'OutcomeUnknown'],
  'is Unavailable for an unsent write': [WRITE, unsent, 'Unavailable'],
  'is Unavailable for a read without a response': [READ, lost, 'Unavailable'],
};

const RETRIES: Record<string, readonly [ApiCall, CallOutcome, number, number | undefined]> = {
  'causes a retry of a write if the server requests it soon': [WRITE, answered(429, 1000), 0, 1000],
  'causes a retry of a write if the server is not ready yet': [WRITE, answered(503, 1000), 0, 1000],
  'leaves a long wait to the caller': [WRITE, answered(429, 60_000), 0, undefined],
  'leaves an unavailable server without a time to the caller': [WRITE, answered(503), 0, undefined],
  'causes a retry of an unsent write': [WRITE, unsent, 0, 200],
  'causes a longer wait with each retry': [WRITE, unsent, 1, 400],
  'causes at most three retries': [WRITE, unsent, 3, undefined],
  'causes a retry of a read with a lost response': [READ, lost, 0, 200],
  'causes no retry of a read that used up its time': [READ, late, 0, undefined],
  'causes no retry of a write with a lost response': [WRITE, lost, 0, undefined],
  'causes no retry with an untrusted certificate': [READ, untrusted, 0, undefined],
  'leaves a conflict to the caller': [WRITE, answered(409, 1000), 0, undefined],
};

/** The outcome of a call decides whether it is repeated, and a write must not take effect twice. */
describe('the outcome of a call', () => {
  for (const [title, [call, outcome, reason]] of Object.entries(REASONS)) {
    it(title, () => assert.equal(toError(call, outcome).reason, reason));
  }

  for (const [title, [call, outcome, retries, afterMs]] of Object.entries(RETRIES)) {
    it(title, () => {
      const verdict = decideCall(call, outcome, retries, () => 1);
      assert.equal(verdict.kind === 'retry' ? verdict.afterMs : undefined, afterMs);
      assert.equal(verdict.kind, afterMs === undefined ? 'failed' : 'retry');
    });
  }

  it('is the text of the response if the call succeeds', () => {
    assert.deepEqual(decideCall(READ, { kind: 'answer', status: 200, text: '{}' }, 0, Math.random), {
      kind: 'done',
      text: '{}',
    });
  });

  it('contains the call, the message, the code, and advice', () => {
    const error = toError(WRITE, answered(403));
    assert.equal(
      error.message,
      'PATCH /api/v1/nodes/a: the message (the permission is missing: grant the permission by RBAC)',
    );
    assert.equal(error.code, '403');
  });

  it('has no advice about permissions if the namespace is being terminated', () => {
    const message =
      'events "a" is forbidden: unable to create new content in namespace shop because it is being terminated';
    const details = { causes: [{ reason: 'NamespaceTerminating', message: 'namespace shop is being terminated' }] };
    const text = JSON.stringify({ kind: 'Status', reason: 'Forbidden', message, details });
    const error = toError(WRITE, { kind: 'answer', status: 403, text });
    assert.equal(error.message, `PATCH /api/v1/nodes/a: ${message}`);
    assert.equal(error.reason, 'Rejected');
    assert.deepEqual(
      [isNamespaceTerminating(error), isNamespaceTerminating(toError(WRITE, answered(403)))],
      [true, false],
    );
  });

  it('contains only the HTTP status of a response without a Status, such as the page of a proxy', () => {
    const error = toError(READ, { kind: 'answer', status: 502, text: '<html>Bad gateway</html>' });
    assert.equal(error.message, 'GET /api/v1/nodes/a: HTTP status 502');
  });

  it('contains the time of the server for a retry', () => {
    assert.equal(toError(WRITE, answered(429, 7000)).retryAfterMs, 7000);
  });

  it('distinguishes unsent writes from writes that may have been sent', () => {
    assert.equal(wasUnsent(withCode('ECONNREFUSED')), true);
    assert.equal(wasUnsent(withCode('CERT_HAS_EXPIRED')), true);
    assert.equal(wasUnsent(withCode('ECONNRESET')), false);
    assert.equal(wasUnsent(new DeadlineExceeded(1)), false);
  });
});
