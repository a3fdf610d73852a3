import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { createAdmission } from '../../../webhook/admission/admission.ts';
import { decisionLog } from '../../../webhook/admission/decision-log.ts';
import { createMetrics } from '../../../webhook/metrics.ts';
import { buildServer, type WebhookServer } from '../../../webhook/server/server.ts';
import { ALL_RULES } from '../../../webhook/admission/validate.ts';
import { aFacts } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';
import { servingCertificate } from '../../support/serving-certificate.ts';

const COUNT = 5_000;
const listOf = (entry: unknown): unknown => Array.from({ length: COUNT }, () => entry);
const BULKS: Readonly<Record<string, unknown>> = {
  numbers: listOf(0),
  nulls: listOf(null),
  texts: listOf('x'),
  lists: listOf([]),
  objects: listOf({}),
  ports: listOf({ port: 80, protocol: 'SCTP', targetPort: 'Not a name' }),
  members: Object.fromEntries(Array.from({ length: COUNT }, (_, at) => [`k${at}`, 'x'])),
  'a text': '"\u0001'.repeat(4 * COUNT),
  'a key': { ['"\u0001'.repeat(4 * COUNT)]: 0 },
};

/** The maximum length of the message about an unreadable body, in characters. */
const LONGEST_DENIAL = 1_000;
/** The maximum length of all violations, which appear in the message and in the causes; in characters. */
const LONGEST_VERDICT = 80_000;
const LONGEST_LOG = 20_000;

type Container = Record<string, unknown> | unknown[];

/** Returns the path of every nested value. */
function pathsIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [[key], ...pathsIn(member).map((path) => [key, ...path])]);
}

/** Returns a copy with another value at the path. */
function withAt(root: unknown, [key = '', ...rest]: readonly string[], value: unknown): Container {
  const copy = (Array.isArray(root) ? [...(root as unknown[])] : { ...(root as object) }) as Record<string, unknown>;
  copy[key] = rest.length === 0 ? value : withAt(copy[key], rest, value);
  return copy;
}

const service = (name: string): object => {
  const { metadata, spec, ...rest } = aService({ annotations: { a: 'b' } });
  const lists = {
    loadBalancerSourceRanges: ['10.0.0.0/8'],
    externalIPs: ['10.0.0.1'],
    ipFamilies: ['IPv4'],
  };
  return {
    ...rest,
    metadata: { ...metadata, name, labels: { a: 'b' }, finalizers: ['a/b'], managedFields: [{ manager: 'm' }] },
    spec: { ...spec, ...lists, sessionAffinity: 'None', externalTrafficPolicy: 'Cluster' },
    status: { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } },
  };
};

/** A tenant can send very large objects, but responses and log lines must stay short. */
describe('a review with extremely much content', () => {
  const review = aReview({ object: service('web'), oldObject: service('web'), fieldManager: 'kubectl-edit' });
  let server: WebhookServer;
  let log: string[] = [];
  before(async () => {
    const { certificate, key } = await servingCertificate();
    const output = { write: (line: string) => void log.push(line) };
    const input = { facts: aFacts(), policy: ENFORCE_ALL, rules: ALL_RULES, deprecatedKeys: 'auto' } as const;
    const parts = { clock: systemClock, log: pino(output), metrics: createMetrics(new Registry()) };
    const logDecision = decisionLog(parts.log, output, systemClock);
    const deps = {
      ...input,
      ...parts,
      ...createAdmission({ ...input, ...parts, logDecision, afterResponse: (work) => work() }),
      maxInFlight: 10,
    };
    server = buildServer(deps, { cert: Buffer.from(certificate), key: Buffer.from(key) });
  });

  for (const [what, bulk] of Object.entries(BULKS)) {
    it(`gets a short response and a short log line: ${what}`, async function () {
      this.timeout(60_000);
      for (const path of pathsIn(review)) {
        for (const url of ['/mutate', '/validate']) {
          log = [];
          const payload = JSON.stringify(withAt(review, path, bulk));
          const reply = await server.inject({
            method: 'POST',
            url,
            headers: { 'content-type': 'application/json' },
            payload,
          });
          const where = `${url} ${path.join('.')}: ${reply.statusCode} ${reply.body.slice(0, 300)}`;
          assert.ok([200, 400].includes(reply.statusCode), where);
          assert.ok(reply.body.length <= (reply.statusCode === 200 ? LONGEST_VERDICT : LONGEST_DENIAL), where);
          assert.ok(log.join('').length <= LONGEST_LOG, `${where} ${log.join('').slice(0, 300)}`);
        }
      }
    });
  }
});
