import assert from 'node:assert/strict';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../src/policy/policy-decisions.ts';
import { evaluateRules } from '../../src/rules/engine/evaluate.ts';
import { serviceSubject } from '../../src/rules/engine/subject.ts';
import type { Rule } from '../../src/rules/rule.ts';
import { aFacts, type FactsInput } from './facts.ts';
import { aService, type ServiceInput } from './service.ts';
import { verdictOn } from './rule-violations.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

/** A Service, and the findings of one rule in its annotations. */
export interface RuleRow {
  /** The annotations by the ends of their keys. */
  readonly keys: Readonly<Record<string, string>>;
  readonly input?: ServiceInput;
  readonly spec?: object;
  readonly metadata?: object;
  /** True if the Service has a load balancer. */
  readonly isThere?: true;
  /** True for an update without changes. */
  readonly isStored?: true;
  /** The annotations before an update, by the ends of their keys. The Service has its load balancer. */
  readonly was?: Readonly<Record<string, string>>;
  /** Parts of the spec that differed before the update. */
  readonly before?: object;
  /** True if the stored Service has no load balancer yet. */
  readonly isYetToCome?: true;
  readonly facts?: FactsInput;
  /** Findings as `end=found`, with the end of the key and the found value. A question mark marks a warning. */
  readonly finds: readonly string[];
}

const endOf = (field: string): string =>
  field.startsWith(`metadata.annotations[${KEY}`) ? field.slice(`metadata.annotations[${KEY}`.length, -1) : field;

function serviceOf(keys: RuleRow['keys'], { input, spec, metadata, isThere, was, isYetToCome }: RuleRow): Service {
  const own = Object.fromEntries(Object.entries(keys).map(([end, value]) => [KEY + end, value]));
  const service = aService({ ...input, annotations: { ...own, ...input?.annotations } });
  const isServed = isThere === true || (was !== undefined && isYetToCome !== true);
  const status = isServed ? { status: { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } } } : {};
  return {
    ...service,
    metadata: { ...service.metadata, ...metadata },
    spec: { ...service.spec, ...spec },
    ...status,
  };
}

function findsOf(rule: Rule, row: RuleRow): readonly string[] {
  const object = serviceOf(row.keys, row);
  const before =
    row.was === undefined ? undefined : serviceOf(row.was, { ...row, spec: { ...row.spec, ...row.before } });
  const subject = serviceSubject(object, row.isStored === true ? object : before);
  const { findings, unevaluated } = evaluateRules([rule], subject, { facts: aFacts(row.facts), policy: ENFORCE_ALL });
  assert.deepEqual(unevaluated, []);
  return findings.map(
    ({ violation }) => `${endOf(violation.field)}=${violation.value}${violation.advice === true ? '?' : ''}`,
  );
}

/** Tests a rule about annotations with a table of Services. A title consists of the result and the row's key. */
export function describeRule(rule: Rule, rows: Readonly<Record<string, RuleRow>>): void {
  describe(`the rule ${rule.name}`, () => {
    for (const [title, row] of Object.entries(rows)) {
      it(`${verdictOn(row.finds)} ${title}`, () => assert.deepEqual(findsOf(rule, row), row.finds));
    }
  });
}
