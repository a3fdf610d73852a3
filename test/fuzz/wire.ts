import { once } from 'node:events';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../../src/base/clock.ts';
import { ENFORCE_ALL } from '../../src/policy/policy-decisions.ts';
import { createAdmission } from '../../webhook/admission/admission.ts';
import { parseBody } from '../../webhook/server/parse-body.ts';
import { createMetrics } from '../../webhook/metrics.ts';
import { readReview } from '../../webhook/admission/admission-review.ts';
import { buildServer } from '../../webhook/server/server.ts';
import { ALL_RULES, validate } from '../../webhook/admission/validate.ts';
import { resultOf } from '../../webhook/admission/response.ts';
import { servingCertificate } from '../support/serving-certificate.ts';
import type { Case } from './case.ts';
import { isUnreadable, KNOWN } from './webhook.ts';

/** The webhook's server on a loopback port, with a persistent connection. Covers the HTTP layer, which the calls in this process skip. */
export interface Wire extends AsyncDisposable {
  /** Sends a case to `/validate`. Returns the mistake in the answer, undefined if there is none. */
  failure(one: Case): Promise<string | undefined>;
}

export async function openWire(): Promise<Wire> {
  const { certificate, key, authority } = await servingCertificate();
  const metrics = createMetrics(new Registry());
  const log = pino({ level: 'silent' });
  const input = {
    facts: KNOWN,
    policy: ENFORCE_ALL,
    rules: ALL_RULES,
    deprecatedKeys: 'auto',
    clock: systemClock,
  } as const;
  const deps = { ...input, log, metrics, logDecision: () => undefined, afterResponse: setImmediate };
  const pair = { cert: Buffer.from(certificate), key: Buffer.from(key) };
  const server = buildServer({ ...deps, ...createAdmission(deps), maxInFlight: 10 }, pair);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.certificate });
  const headers = { 'content-type': 'application/json' };
  return {
    failure: async (one) => {
      const sent = request({ host: '127.0.0.1', port, path: '/validate?timeout=10s', method: 'POST', agent, headers });
      sent.end(one.body);
      const [reply] = (await once(sent, 'response')) as [IncomingMessage];
      const [got, expected] = [{ status: reply.statusCode, text: await text(reply) }, expectedOf(one)];
      return isAsExpected(got, expected) ? undefined : `over the wire ${got.status} ${got.text.slice(0, 300)}`;
    },
    [Symbol.asyncDispose]: async () => {
      agent.destroy();
      await server.close();
    },
  };
}

/** The UID and the decision of the expected response. Undefined if the webhook must respond with HTTP 400. */
type Expected = { readonly uid: string; readonly allowed: boolean } | undefined;

function expectedOf(one: Case): Expected {
  try {
    const read = readReview(parseBody(one.body));
    const context = { facts: KNOWN, policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
    return { uid: read.uid, allowed: resultOf(read, validate(read, context)).answer.allowed };
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

function isAsExpected(
  got: { readonly status: number | undefined; readonly text: string },
  expected: Expected,
): boolean {
  if (expected === undefined) return got.status === 400;
  if (got.status !== 200) return false;
  const { response } = JSON.parse(got.text) as { readonly response: NonNullable<Expected> };
  return response.uid === expected.uid && response.allowed === expected.allowed;
}
