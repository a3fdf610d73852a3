import assert from 'node:assert/strict';
import { DeadlineExceeded } from '../../../src/base/deadline.ts';
import type { ApiCall, CallOutcome } from '../../../src/kubernetes/call.ts';
import { isNamespaceTerminating, decideCall, toError, wasUnsent } from '../../../src/kubernetes/call-result.ts';

const READ: ApiCall = { method: 'GET', path: '/api/v1/nodes/a' };
const WRITE: ApiCall = { method: 'PATCH', path: '/api/v1/nodes/a', body: {} };
const said = (status: number, retryAfterMs?: number): CallOutcome => ({
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
  'an unknown object is NotFound': [READ, said(404), 'NotFound'],
  'a changed object is a Conflict': [WRITE, said(409), 'Conflict'],
  'unknown credentials are Unauthorized': [READ, said(401), 'Unauthorized'],
  'a missing permission is Forbidden': [WRITE, said(403), 'Forbidden'],
  'too many requests are Unavailable': [WRITE, said(429), 'Unavailable'],
  'an internal error is Unavailable': [WRITE, said(500), 'Unavailable'],
  'a redirect is Unavailable': [READ, said(302), 'Unavailable'],
  'a refused object is Rejected': [WRITE, said(422), 'Rejected'],
  'an expired version is Rejected': [READ, said(410), 'Rejected'],
  "a write's time-out at the server is OutcomeUnknown": [WRITE, said(504), 'OutcomeUnknown'],
  "a read's time-out at the server is Unavailable": [READ, said(504), 'Unavailable'],
  'a write without an answer is OutcomeUnknown': [WRITE, lost, 'OutcomeUnknown'],
  'a write without an answer in time is OutcomeUnknown': [WRITE, late, 'OutcomeUnknown'],
  'a write that was never sent is Unavailable': [WRITE, unsent, 'Unavailable'],
  'a read without an answer is Unavailable': [READ, lost, 'Unavailable'],
};

const RETRIES: Record<string, readonly [ApiCall, CallOutcome, number, number | undefined]> = {
  'a write is sent again when the server asks for it soon': [WRITE, said(429, 1000), 0, 1000],
  'a write is sent again when the server is not ready yet': [WRITE, said(503, 1000), 0, 1000],
  'a long wait asked for by the server is left to the caller': [WRITE, said(429, 60_000), 0, undefined],
  'an unavailable server that names no time is left to the caller': [WRITE, said(503), 0, undefined],
  'a write that was never sent is tried again': [WRITE, unsent, 0, 200],
  'the wait grows with each retry': [WRITE, unsent, 1, 400],
  'three retries are enough': [WRITE, unsent, 3, undefined],
  'a read whose answer was lost is tried again': [READ, lost, 0, 200],
  'a read that used up its time is not': [READ, late, 0, undefined],
  'a write whose answer was lost is never sent twice': [WRITE, lost, 0, undefined],
  'a certificate that is not trusted now is not trusted a moment later': [READ, untrusted, 0, undefined],
  'a conflict is the caller’s to solve': [WRITE, said(409, 1000), 0, undefined],
};

describe('the outcome of a call', () => {
  for (const [sentence, [call, outcome, reason]] of Object.entries(REASONS)) {
    it(sentence, () => assert.equal(toError(call, outcome).reason, reason));
  }

  for (const [sentence, [call, outcome, retries, afterMs]] of Object.entries(RETRIES)) {
    it(sentence, () => {
      const verdict = decideCall(call, outcome, retries, () => 1);
      assert.equal(verdict.kind === 'retry' ? verdict.afterMs : undefined, afterMs);
      assert.equal(verdict.kind, afterMs === undefined ? 'failed' : 'retry');
    });
  }

  it('is the text when the server agrees', () => {
    assert.deepEqual(decideCall(READ, { kind: 'answer', status: 200, text: '{}' }, 0, Math.random), {
      kind: 'done',
      text: '{}',
    });
  });

  it('names the call, what the server said, its code, and what to do', () => {
    const error = toError(WRITE, said(403));
    assert.equal(
      error.message,
      "PATCH /api/v1/nodes/a: the message (the API server's authorization refuses it: grant the permission by RBAC)",
    );
    assert.equal(error.code, '403');
  });

  it('is no matter of permissions when the namespace is being terminated', () => {
    const message =
      'events "a" is forbidden: unable to create new content in namespace shop because it is being terminated';
    const details = { causes: [{ reason: 'NamespaceTerminating', message: 'namespace shop is being terminated' }] };
    const text = JSON.stringify({ kind: 'Status', reason: 'Forbidden', message, details });
    const error = toError(WRITE, { kind: 'answer', status: 403, text });
    assert.equal(error.message, `PATCH /api/v1/nodes/a: ${message}`);
    assert.equal(error.reason, 'Rejected');
    assert.deepEqual([isNamespaceTerminating(error), isNamespaceTerminating(toError(WRITE, said(403)))], [true, false]);
  });

  it('says only the status of an answer that is not a Status, such as a proxy’s page', () => {
    const error = toError(READ, { kind: 'answer', status: 502, text: '<html>Bad gateway</html>' });
    assert.equal(error.message, 'GET /api/v1/nodes/a: HTTP status 502');
  });

  it('passes on when the server wants to be asked again', () => {
    assert.equal(toError(WRITE, said(429, 7000)).retryAfterMs, 7000);
  });

  it('tells what was certainly not sent from what may have been', () => {
    assert.equal(wasUnsent(withCode('ECONNREFUSED')), true);
    assert.equal(wasUnsent(withCode('CERT_HAS_EXPIRED')), true);
    assert.equal(wasUnsent(withCode('ECONNRESET')), false);
    assert.equal(wasUnsent(new DeadlineExceeded(1)), false);
  });
});
