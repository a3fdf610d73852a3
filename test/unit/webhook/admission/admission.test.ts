import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { CATALOGUE } from '../../../../src/annotation/catalogue.ts';
import { deprecatedFormsOf } from '../../../../src/annotation/deprecated-key-index.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { ENFORCE_ALL } from '../../../../src/policy/policy-decisions.ts';
import { createAdmission } from '../../../../webhook/admission/admission.ts';
import { decisionLog } from '../../../../webhook/admission/decision-log.ts';
import { createMetrics } from '../../../../webhook/metrics.ts';
import { readReview } from '../../../../webhook/admission/admission-review.ts';
import type { Rule } from '../../../../src/rules/rule.ts';
import { ALL_RULES } from '../../../../webhook/admission/validate.ts';
import { aFacts } from '../../../support/facts.ts';
import { aReview, type ReviewInput } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';

const failing = (tier: Rule['tier']): Rule => ({
  name: `failing-${tier}`,
  kind: 'Service',
  tier,
  tunable: tier === 'hygiene',
  doc: '',
  since: '0.1.0',
  examples: { wrong: '', right: '' },
  check: () => {
    throw new Error('broken');
  },
});

const admission = (...more: readonly Rule[]) => admissionThat(false, more);

function admissionThat(
  strict: boolean,
  more: readonly Rule[] = [],
  afterResponse: (work: () => void) => void = (work) => work(),
) {
  const registry = new Registry();
  const lines: Record<string, unknown>[] = [];
  const output = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const log = pino({ base: null }, output);
  const { mutate, validate } = createAdmission({
    facts: aFacts(),
    policy: ENFORCE_ALL,
    rules: { ...ALL_RULES, service: [...ALL_RULES.service, ...more] },
    deprecatedKeys: 'auto',
    strict,
    clock: systemClock,
    log,
    metrics: createMetrics(registry),
    logDecision: decisionLog(log, output, systemClock),
    afterResponse,
  });
  const ask = (decide: typeof validate, isLate: boolean) => (input: ReviewInput) =>
    decide(readReview(aReview(input)), () => isLate);
  const count = async (name: string): Promise<string[]> =>
    (await registry.getSingleMetricAsString(`portcullis_webhook_${name}`))
      .split('\n')
      .filter((line) => !line.startsWith('#'));
  const late = { mutate: ask(mutate, true), validate: ask(validate, true) };
  return { mutate: ask(mutate, false), validate: ask(validate, false), late, lines, count };
}

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-bandwidth';
const bad = aService({ annotations: { [KEY]: 'a-secret-by-mistake' } });

/** Each decision must be logged, counted and taken in time, also if a rule fails. */
describe('a decision', () => {
  it('is a single log line, without a value that the user wrote', () => {
    const { validate, lines } = admission();
    validate({ object: bad, uid: 'u-1\n', dryRun: true, username: 'mallory\u202e' });
    assert.equal(lines.length, 1);
    const { path, decision, uid, operation, kind, object, user, rules, dryRun } = lines[0] ?? {};
    assert.deepEqual(
      { path, decision, uid, operation, kind, object, user, rules, dryRun },
      {
        path: 'validate',
        decision: 'denied',
        uid: 'u-1\\u000a',
        operation: 'CREATE',
        kind: 'Service',
        object: 'shop/web',
        user: 'mallory\\u202e',
        rules: ['annotation-value'],
        dryRun: true,
      },
    );
    assert.doesNotMatch(JSON.stringify(lines), /a-secret/);
  });

  it('is logged and counted after the response, so that the API server does not wait', async () => {
    const later: (() => void)[] = [];
    const { validate, lines, count } = admissionThat(false, [], (work) => void later.push(work));
    assert.equal(validate({ object: bad }).allowed, false);
    assert.deepEqual([lines.length, (await count('decisions_total')).length], [0, 0]);
    for (const work of later) work();
    assert.deepEqual([lines.length, (await count('decisions_total')).length], [1, 1]);
    assert.equal((await count('findings_total')).length, 1);
  });

  it('is counted, as is every finding', async () => {
    const { validate, mutate, count } = admission();
    validate({ object: bad });
    validate({ object: aService() });
    mutate({ object: bad });
    assert.deepEqual(await count('decisions_total'), [
      'portcullis_webhook_decisions_total{path="validate",decision="denied",operation="CREATE"} 1',
      'portcullis_webhook_decisions_total{path="validate",decision="allowed",operation="CREATE"} 1',
      'portcullis_webhook_decisions_total{path="mutate",decision="allowed",operation="CREATE"} 1',
    ]);
    assert.deepEqual(await count('findings_total'), [
      'portcullis_webhook_findings_total{rule="annotation-value",enforcement_action="deny",operation="CREATE"} 1',
    ]);
  });

  it('counts the violations that only warn because the stored object has them', async () => {
    const { validate, count } = admission();
    validate({ oldObject: bad, object: aService({ annotations: { ...bad.metadata.annotations, other: 'x' } }) });
    assert.deepEqual(await count('ratcheted_total'), ['portcullis_webhook_ratcheted_total 1']);
  });

  it('is counted with labels of few values, whatever the request contains', async () => {
    const { validate, count } = admission();
    validate({ object: aService({ name: 'mallory', namespace: 'mallory', annotations: { [KEY]: 'mallory' } }) });
    validate({ object: { ...bad, kind: 'Mallory' }, username: 'mallory', uid: 'mallory' });
    const lines = [...(await count('decisions_total')), ...(await count('findings_total'))];
    assert.ok(lines.length > 2);
    assert.doesNotMatch(lines.join('\n'), /mallory/i);
  });

  it('of a dry run equals the decision on the request itself', () => {
    const { validate, mutate } = admission();
    const old = aService({ annotations: { [deprecatedFormsOf(KEY)[0] ?? '']: '100' } });
    assert.deepEqual(validate({ object: bad, dryRun: true }), validate({ object: bad }));
    assert.deepEqual(mutate({ object: old, dryRun: true }), mutate({ object: old }));
    assert.notDeepEqual(mutate({ object: old }).patch, []);
  });

  it('that fails is counted and logged as well', async () => {
    const { validate, lines, count } = admission(failing('safety'));
    assert.throws(() => validate({ object: aService(), uid: 'u-2' }));
    assert.deepEqual(await count('decisions_total'), [
      'portcullis_webhook_decisions_total{path="validate",decision="error",operation="CREATE"} 1',
    ]);
    const [line] = lines.filter(({ decision }) => decision !== undefined);
    assert.deepEqual([line?.['decision'], line?.['uid'], line?.['object']], ['error', 'u-2', 'shop/web']);
  });

  it('allows with a warning and a count if a hygiene rule fails', async () => {
    const { validate, count } = admission(failing('hygiene'));
    const { allowed, warnings } = validate({ object: aService() });
    assert.equal(allowed, true);
    assert.match(warnings?.[0] ?? '', /rule failing-hygiene could not be evaluated/);
    assert.deepEqual(await count('rule_errors_total'), [
      'portcullis_webhook_rule_errors_total{rule="failing-hygiene",tier="hygiene"} 1',
    ]);
  });

  it('allows with one warning, one log line and a count per rule if no time is left', async () => {
    const { late, count, lines } = admission();
    const { allowed, warnings } = late.validate({ object: bad });
    assert.deepEqual([allowed, warnings?.length], [true, 1]);
    assert.match(
      warnings?.[0] ?? '',
      /^Service shop\/web: rules .*annotation-value.* could not be evaluated and were skipped$/,
    );
    const counted = await count('rule_errors_total');
    assert.ok(counted.includes('portcullis_webhook_rule_errors_total{rule="annotation-value",tier="hygiene"} 1'));
    assert.ok(!counted.some((line) => line.includes('tier="safety"')));
    assert.equal(lines.length, 1);
  });

  it('requests a retry if no time is left for a safety rule that concerns the Service', () => {
    const reusing = aService({ annotations: { [CATALOGUE.id.key]: 'lb-1' } });
    assert.throws(() => admission().late.validate({ object: reusing }), {
      reason: 'Unavailable',
      retryAfterMs: 1_000,
      message: /no time to evaluate safety rule protected-load-balancer/,
    });
  });

  const BUSY = { reason: 'Unavailable', retryAfterMs: 1_000 };
  it('requests a retry with --strict if no time is left for a rule or a mutation', () => {
    const { late } = admissionThat(true);
    assert.throws(() => late.validate({ object: bad }), { ...BUSY, message: /no time to evaluate hygiene rule/ });
    assert.throws(() => late.mutate({ object: bad }), { ...BUSY, message: /no time to apply policy defaults/ });
  });

  it('fails with --strict if a hygiene rule fails, unless the request is denied anyway', () => {
    const { validate } = admissionThat(true, [failing('hygiene')]);
    assert.throws(() => validate({ object: aService() }), { message: /^hygiene rule failing-hygiene could not/ });
    assert.equal(validate({ object: bad }).allowed, false);
  });

  it('allows with --strict an update that changes only labels, whatever rule fails', () => {
    const { validate, late } = admissionThat(true, [failing('hygiene'), failing('safety')]);
    const oldObject = aService();
    const object = { ...oldObject, metadata: { ...oldObject.metadata, labels: { team: 'shop' } } };
    for (const ask of [validate, late.validate]) assert.equal(ask({ object, oldObject }).allowed, true);
  });

  it('rewrites nothing if no time is left, and warns', () => {
    const { allowed, patch, warnings } = admission().late.mutate({ object: bad });
    assert.deepEqual([allowed, patch], [true, undefined]);
    assert.deepEqual(warnings, [
      'Service shop/web: the webhook had no time to apply policy defaults and rewrite deprecated keys',
    ]);
  });

  it('fails if a safety rule fails, so that the failure policy decides', () => {
    const { validate } = admission(failing('safety'));
    assert.throws(() => validate({ object: aService() }), { message: /failing-safety could not be evaluated: broken/ });
  });

  it('is a denial if a safety rule fails and another rule denies', () => {
    assert.equal(admission(failing('safety')).validate({ object: bad }).allowed, false);
  });
});
