import { fieldOf, type Finding } from '../rules/engine/evaluate.ts';
import { violationMessage } from '../rules/engine/message.ts';
import { suffixOf } from '../annotation/keys.ts';
import type { Clock } from '../base/clock.ts';
import type { LintCandidate } from '../lint/candidate.ts';
import { createPolicyContext } from '../lint/policy/policy-context.ts';
import { rulesFor, lintResultOf } from '../lint/webhook-evaluation.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import type { PolicyTestCase } from './read.ts';

/** A difference between the expected and the found result of a case. */
export interface Difference {
  readonly of: 'denied' | 'warned' | 'defaults';
  readonly expected: string;
  readonly found: string;
}

/** The result of a case, for the report. */
export interface PolicyTestOutcome {
  readonly test: string;
  readonly file: string;
  readonly line: number;
  readonly name: string;
  /** Empty if the case passes. */
  readonly differences: readonly Difference[];
  /** The messages about the Service. */
  readonly messages: readonly string[];
}

/** The result of the evaluation of a case. */
interface PolicyTestResult {
  readonly denied: readonly string[];
  readonly warned: readonly string[];
  readonly defaults: Readonly<Record<string, string>>;
  readonly messages: readonly string[];
}

const NOTHING = 'nothing';
const namesOf = (findings: readonly Finding[]): readonly string[] =>
  [...new Set(findings.map(({ rule }) => rule.name))].sort();
const listed = (names: readonly string[]): string => (names.length === 0 ? NOTHING : names.toSorted().join(', '));
const expectedDefaults = (defaults: Readonly<Record<string, string>>): string =>
  listed(Object.entries(defaults).map(([name, value]) => `${name}=${value}`));

/** Adds the finalizers and the status of the stored Service, which the API server keeps if a manifest omits them. */
function overStored(service: Service, stored: Service | undefined): Service {
  if (stored === undefined) return service;
  const { finalizers } = stored.metadata;
  const metadata = { ...(finalizers === undefined ? {} : { finalizers }), ...service.metadata };
  return { ...(stored.status === undefined ? {} : { status: stored.status }), ...service, metadata };
}

const serviceOf = (candidate: LintCandidate | undefined): Service | undefined =>
  candidate?.object as Service | undefined;

/** Evaluates the Service of a case with the rules and policies. */
function evaluated(each: PolicyTestCase, clock: Pick<Clock, 'now'>): PolicyTestResult {
  const now = each.now ?? clock.now();
  const facts = each.factsAt(now);
  for (const service of each.services) facts.add(service);
  const stored = serviceOf(each.stored);
  const services = stored === undefined ? each.services : [...each.services, stored];
  const { policies, namespaces } = each;
  const policyContext = createPolicyContext({ ...policies, namespaces, services, clock: { now: () => now } });
  const context = { facts, rules: rulesFor(each.hasFacts, true), policyContext };
  const { outcome, defaults } = lintResultOf(overStored(each.service.object as Service, stored), stored, context);
  const isAdvice = ({ violation }: Finding): boolean => violation.advice === true;
  const denials = [...each.service.findings.filter((finding) => !isAdvice(finding)), ...outcome.denials];
  const warnings = [...each.service.findings.filter(isAdvice), ...outcome.warnings];
  const messageOf = (verb: string) => (finding: Finding) => `${verb} ${fieldOf(finding)}: ${violationMessage(finding)}`;
  return {
    denied: namesOf(denials),
    warned: namesOf(warnings),
    defaults: Object.fromEntries(defaults.applied.map(({ key, value }) => [suffixOf(key), value])),
    messages: [...denials.map(messageOf('denied')), ...warnings.map(messageOf('warned'))],
  };
}

/** Returns the differences between expectation and result, in the order denials, warnings, defaults. */
function differencesOf(
  expect: PolicyTestCase['expect'],
  { denied, warned, defaults }: PolicyTestResult,
): readonly Difference[] {
  if (expect === 'accepted' || expect === 'denied') {
    const isAsExpected = (expect === 'denied') === denied.length > 0;
    const expected = expect === 'denied' ? 'any rule' : NOTHING;
    return isAsExpected ? [] : [{ of: 'denied', expected, found: listed(denied) }];
  }
  const rows: readonly Difference[] = [
    { of: 'denied', expected: listed(expect.denied ?? []), found: listed(denied) },
    ...(expect.warned === undefined
      ? []
      : [{ of: 'warned' as const, expected: listed(expect.warned), found: listed(warned) }]),
    ...(expect.defaults === undefined
      ? []
      : [{ of: 'defaults' as const, expected: expectedDefaults(expect.defaults), found: expectedDefaults(defaults) }]),
  ];
  return rows.filter((row) => row.expected !== row.found);
}

/** Runs a case of `portcullis policy test`. Evaluates the Service as the webhook does, and compares the result with the expectation. */
export function runTestCase(each: PolicyTestCase, clock: Pick<Clock, 'now'>): PolicyTestOutcome {
  const { test, file, range, name, expect } = each;
  const seen = evaluated(each, clock);
  return { test, file, line: range.line, name, differences: differencesOf(expect, seen), messages: seen.messages };
}
