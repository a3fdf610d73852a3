import assert from 'node:assert/strict';
import type { Service, ServicePort } from '../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../src/policy/policy-decisions.ts';
import { evaluateRules } from '../../src/rules/engine/evaluate.ts';
import { serviceSubject } from '../../src/rules/engine/subject.ts';
import type { Violation, Rule } from '../../src/rules/rule.ts';
import { aFacts, type FactsInput } from './facts.ts';
import { aService } from './service.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

/** A Service in short form, in the table of a unit test of a rule. */
export interface FoundInput {
  /** The annotations by full keys, or by the ends of the controller's keys. */
  readonly keys?: Readonly<Record<string, string>>;
  readonly ports?: readonly (number | ServicePort)[];
  readonly type?: string;
  readonly spec?: object;
  readonly metadata?: object;
}

export interface Row extends FoundInput {
  /** Stored Service of an update. */
  readonly before?: FoundInput;
  /** The published addresses of the stored and the new Service. If set, a load balancer exists. */
  readonly ingress?: readonly object[];
  readonly facts?: FactsInput;
}

export const HAS_ADDRESS = [{ ip: '47.96.0.1' }] as const;

function serviceOf(
  { keys = {}, ports = [80], type = 'LoadBalancer', spec, metadata }: FoundInput,
  { ingress }: Row,
): Service {
  const annotations = Object.fromEntries(
    Object.entries(keys).map(([key, value]) => [key.includes('/') ? key : KEY + key, value]),
  );
  const service = aService({ annotations, ports, type });
  return {
    ...service,
    metadata: { ...service.metadata, ...metadata },
    spec: { ...service.spec, ...spec },
    ...(ingress === undefined ? {} : { status: { loadBalancer: { ingress } } }),
  };
}

/** Returns the violations of one rule. Throws if the rule throws. */
export function violationsOf(rule: Rule, row: Row): readonly Violation[] {
  const before = row.before === undefined ? undefined : serviceOf(row.before, row);
  const subject = serviceSubject(serviceOf(row, row), before);
  const { findings, unevaluated } = evaluateRules([rule], subject, { facts: aFacts(row.facts), policy: ENFORCE_ALL });
  for (const { error } of unevaluated) throw error;
  return findings.map(({ violation }) => violation);
}

const ANNOTATION = 'metadata.annotations[';

/** Returns the last part of a field: the suffix of an annotation of the controller, or the path. */
const nameOf = (field: string): string =>
  field.startsWith(ANNOTATION) ? field.slice(ANNOTATION.length, -1).replace(KEY, '') : field;

/** Returns `field=found` for each violation. A question mark marks a warning, and a tilde a violation that the controller syncs anyway. */
const foundBy = (rule: Rule, row: Row): readonly string[] =>
  violationsOf(rule, row).map(
    ({ field, value, advice, atApplyOnly }) =>
      `${nameOf(field)}=${value}${advice === true ? '?' : ''}${atApplyOnly === true ? '~' : ''}`,
  );

/** Returns the verb for the findings of a rule about a Service, as the beginning of a title. */
export function verdictOn(finds: readonly string[]): string {
  if (finds.length === 0) return 'accepts';
  return finds.every((found) => /\?~?$/.test(found)) ? 'warns about' : 'reports';
}

/** Tests the violations of one rule, with a test for each row. A title consists of the result and the row's key. */
export function describeViolations(
  rule: Rule,
  rows: Readonly<Record<string, Row & { readonly finds: readonly string[] }>>,
): void {
  describe(`the rule ${rule.name}`, () => {
    for (const [title, row] of Object.entries(rows)) {
      it(`${verdictOn(row.finds)} ${title}`, () => assert.deepEqual(foundBy(rule, row), row.finds));
    }
  });
}
