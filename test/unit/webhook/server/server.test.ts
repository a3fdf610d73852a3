import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { systemClock } from '../../../../src/base/clock.ts';
import { BODY_LIMIT, type Decide, type WebhookServer } from '../../../../webhook/server/server.ts';
import { tooBusy } from '../../../../webhook/server/review-queue.ts';
import { aReview } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';
import { servingCertificate, type ServingCertificate } from '../../../support/serving-certificate.ts';
import { aServer, type ServerInput } from '../../../support/webhook-server.ts';

const review = JSON.stringify(aReview({ object: aService(), uid: 'u-1' }));

let certificate: ServingCertificate;
before(async () => {
  certificate = await servingCertificate();
});
const build = (input?: ServerInput): WebhookServer => aServer(certificate, input);

const post = (server: WebhookServer, payload: string | Buffer, contentType = 'application/json', url = '/validate') =>
  server.inject({ method: 'POST', url, headers: { 'content-type': contentType }, payload });

/** The API server needs an answer in time, and a clear HTTP status if the webhook cannot decide. */
describe('the admission server', () => {
  it('answers a review with its UID', async () => {
    const reply = await post(build(), review);
    assert.equal(reply.statusCode, 200);
    assert.match(String(reply.headers['content-type']), /^application\/json/);
    assert.deepEqual(reply.json(), {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u-1', allowed: true },
    });
  });

  it('passes the trace of a request to the decision and to the error log', async () => {
    const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
    const traces: unknown[] = [];
    const log: string[] = [];
    const validate: Decide = (_request, _expired, of) => {
      traces.push(of);
      throw new Error('cannot');
    };
    const headers = { 'content-type': 'application/json', traceparent: `00-${trace.traceId}-${trace.spanId}-01` };
    const server = build({ validate, log });
    await server.inject({ method: 'POST', url: '/validate', headers, payload: review });
    assert.deepEqual(traces, [trace]);
    const line = JSON.parse(log[0] ?? '{}') as Record<string, unknown>;
    assert.deepEqual([line['traceId'], line['spanId']], [trace.traceId, trace.spanId]);
  });

  it('accepts a content type with a character set', async () => {
    assert.equal((await post(build(), review, 'application/json; charset=utf-8')).statusCode, 200);
  });

  it('reads two objects of the largest size that the API server stores, each byte as an escape', async () => {
    const object = aService({ annotations: { escaped: '<'.repeat(1.5 * 1024 * 1024 - 1_000) } });
    const text = JSON.stringify(aReview({ object, oldObject: object })).replaceAll('<', '\\u003c');
    assert.ok(text.length > 18_800_000);
    assert.equal((await post(build(), text)).statusCode, 200);
  });

  const denied: Record<
    string,
    { payload: string | Buffer; type?: string; url?: string; status: number; message: RegExp }
  > = {
    'a body without JSON': { payload: '{', status: 400, message: /not JSON/ },
    'an empty body': { payload: '', status: 400, message: /not JSON|empty/i },
    'a body in another encoding': { payload: Buffer.from(review, 'utf16le'), status: 400, message: /not JSON/ },
    'a body that is not a review': { payload: '{"a":1}', status: 400, message: /not an AdmissionReview/ },
    'a review of an unknown version': {
      payload: review.replace('admission.k8s.io/v1', 'admission.k8s.io/v2'),
      status: 400,
      message: /"admission\.k8s\.io\/v2" is not supported/,
    },
    'a body over 19 MiB': { payload: `"${'x'.repeat(BODY_LIMIT)}"`, status: 413, message: /too large/ },
    'another content type': { payload: review, type: 'text/plain', status: 415, message: /Media Type/ },
    'no content type': { payload: review, type: '', status: 415, message: /Media Type/ },
  };
  for (const [title, { payload, type, status, message }] of Object.entries(denied)) {
    it(`answers ${status} to ${title}`, async () => {
      const reply = await post(build(), payload, type);
      assert.equal(reply.statusCode, status);
      assert.match(reply.body, message);
    });
  }

  it('answers 404 to another path or method', async () => {
    assert.equal((await post(build(), review, 'application/json', '/')).statusCode, 404);
    assert.equal((await build().inject({ method: 'GET', url: '/validate' })).statusCode, 404);
  });

  it('answers 500 if the evaluation throws, and logs the reason', async () => {
    const log: string[] = [];
    const reply = await post(
      build({
        log,
        validate: () => {
          throw new Error('lb-1 belongs to somebody');
        },
      }),
      review,
    );
    assert.equal(reply.statusCode, 500);
    assert.doesNotMatch(reply.body, /lb-1/);
    const incident = /incident ([0-9a-f-]{36})/.exec(reply.body)?.[1] ?? 'none';
    assert.ok(log.some((line) => line.includes(incident) && line.includes('lb-1 belongs to somebody')));
  });

  it('evaluates until 300 ms before the timeout in the query, which starts with the request', async () => {
    let now = 1_000;
    const seen: boolean[] = [];
    const decide: Decide = (_request, expired) => {
      for (now of [2_699, 2_700]) seen.push(expired());
      return { allowed: true };
    };
    const server = build({ validate: decide, clock: { ...systemClock, monotonic: () => now } });
    server.addHook('preHandler', (_request, _reply, done) => {
      now = 2_000;
      done();
    });
    await post(server, review, 'application/json', '/validate?timeout=2s');
    assert.deepEqual(seen, [false, true]);
  });

  it('evaluates only safety rules if too many reviews wait, and requests a retry on failure', async () => {
    const late: string[] = [];
    const validate: Decide = ({ uid }, expired) => {
      if (expired()) late.push(uid);
      if (uid === 'u-unsafe') throw tooBusy('there is no time: try again');
      return { allowed: true };
    };
    const server = build({ validate, maxInFlight: 2 });
    const uids = ['u-1', 'u-2', 'u-3', 'u-unsafe'];
    const replies = await Promise.all(
      uids.map((uid) => post(server, JSON.stringify(aReview({ object: aService(), uid })))),
    );
    assert.deepEqual(late, ['u-3', 'u-unsafe']);
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [200, 200, 200, 500],
    );
    const [, , , unsafe] = replies;
    assert.deepEqual([unsafe?.headers['retry-after'], unsafe?.headers.connection], ['1', 'close']);
    assert.equal(unsafe?.body, 'there is no time: try again\n');
  });

  it('counts requests without a decision', async () => {
    const registry = new Registry();
    await post(build({ registry }), '{');
    const figures = await registry.metrics();
    assert.match(figures, /^portcullis_webhook_http_errors_total\{status="400"\} 1$/m);
  });

  it('has the timeouts that the API server needs', () => {
    const { server } = build();
    assert.equal(server.keepAliveTimeout, 120_000);
    assert.equal(server.headersTimeout, 10_000);
    assert.equal(server.requestTimeout, 10_000);
    assert.equal(server.maxRequestsPerSocket, 1_000);
  });
});
