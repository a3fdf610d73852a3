import assert from 'node:assert/strict';
import { ENFORCE_ALL } from '../../src/policy/policy.ts';
import { judge } from '../../webhook/rules/engine/judge.ts';
import { serviceSubject } from '../../webhook/rules/engine/subject.ts';
import type { Rule } from '../../webhook/rules/rule.ts';
import { aFacts, type FactsSaid } from './facts.ts';
import { aService, type ServiceSaid } from './service.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

/** A Service, and what one rule finds in its annotations. */
export interface RuleRow {
  /** Annotations by the ends of their keys. */
  readonly keys: Readonly<Record<string, string>>;
  readonly said?: ServiceSaid;
  readonly spec?: object;
  /** Whether it has a load balancer already. */
  readonly isThere?: true;
  /** Whether it is an update. */
  readonly isStored?: true;
  readonly facts?: FactsSaid;
  /** `end=found`, advice with a question mark behind it. */
  readonly finds: readonly string[];
}

const endOf = (field: string): string =>
  field.startsWith(`metadata.annotations[${KEY}`) ? field.slice(`metadata.annotations[${KEY}`.length, -1) : field;

function findsOf(rule: Rule, { keys, said, spec, isThere, isStored, facts }: RuleRow): readonly string[] {
  const own = Object.fromEntries(Object.entries(keys).map(([end, value]) => [KEY + end, value]));
  const service = aService({ ...said, annotations: { ...own, ...said?.annotations } });
  const status = isThere === true ? { status: { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } } } : {};
  const object = { ...service, spec: { ...service.spec, ...spec }, ...status };
  const subject = serviceSubject(object, isStored === true ? object : undefined);
  const { findings, unevaluated } = judge([rule], subject, { facts: aFacts(facts), policy: ENFORCE_ALL });
  assert.deepEqual(unevaluated, []);
  return findings.map(({ fault }) => `${endOf(fault.field)}=${fault.found}${fault.advice === true ? '?' : ''}`);
}

/** Holds a rule alone to a table of Services. */
export function describeRule(rule: Rule, rows: Readonly<Record<string, RuleRow>>): void {
  describe(`the rule ${rule.name} on`, () => {
    for (const [sentence, row] of Object.entries(rows)) {
      it(sentence, () => assert.deepEqual(findsOf(rule, row), row.finds));
    }
  });
}
