import { dirname, isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import { PortcullisError } from '../base/errors.ts';
import { errorBody } from '../base/field-error.ts';
import { plain } from '../rules/engine/safe-text.ts';
import { candidateOf, type LintCandidate } from '../lint/candidate.ts';
import { fileFacts, noFacts, type FileFacts } from '../lint/inventory-facts.ts';
import { readManifests, type Manifest } from '../lint/manifest.ts';
import { issueBody, issuePath } from '../lint/shape-error-text.ts';
import type { SourceRange } from '../lint/source-range.ts';
import { policiesIn, problemLine, type Policies } from '../lint/policy/read-policies.ts';
import { readSource, readSources } from '../lint/read-sources.ts';
import type { Source } from '../lint/source.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import { TestShape, type Expectation } from './test-shape.ts';

/** A case of a `PolicyTest` file, with the content of all files that the test names. `policy test` runs each case. */
export interface PolicyTestCase {
  /** The name of the test, or of its file. */
  readonly test: string;
  readonly file: string;
  readonly range: SourceRange;
  readonly name: string;
  readonly policies: Policies;
  readonly hasFacts: boolean;
  /** Returns the inventory of the cloud. The difference between `now` and the inventory's time is the age of the inventory. */
  readonly factsAt: (now: number) => FileFacts;
  /** The time of the case, in milliseconds since the epoch. Undefined for the current time. */
  readonly now: number | undefined;
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The other Services of the cluster, which quotas count and rules look up. */
  readonly services: readonly Service[];
  readonly stored: LintCandidate | undefined;
  readonly service: LintCandidate;
  readonly expect: z.output<typeof Expectation>;
}

const isTest = (apiVersion: string, kind: string): boolean =>
  apiVersion.startsWith('portcullis.io/') && kind === 'PolicyTest';
const isInventoryObject = (apiVersion: string, kind: string): boolean =>
  apiVersion.startsWith('portcullis.io/') && (kind === 'ClassicLoadBalancer' || kind === 'CloudInventory');

const failed = (lines: readonly string[]): PortcullisError =>
  new PortcullisError('InvalidConfiguration', lines.join('\n'));

/** The properties that all cases of a test share. */
interface Setting extends Pick<PolicyTestCase, 'test' | 'file' | 'policies' | 'hasFacts' | 'factsAt'> {
  readonly input: z.output<typeof TestShape>;
  readonly manifest: Manifest;
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {});

/** Completes a Service of a test: the name `web`, the namespace `default`, the type, and one port. */
const whole = (input: Fields): Fields => ({
  apiVersion: 'v1',
  kind: 'Service',
  ...input,
  metadata: { name: 'web', namespace: 'default', ...fieldsOf(input['metadata']) },
  spec: { type: 'LoadBalancer', ports: [{ name: 'http', port: 80, protocol: 'TCP' }], ...fieldsOf(input['spec']) },
});

const lineOf = (file: string, { line, column }: SourceRange, what: string): string =>
  `${plain(file)}:${line}:${column}: ${what}`;

/** Returns a Service of a test. Throws if a field has a wrong type, which is a mistake in the test. */
function serviceAt(input: Fields, path: string, { manifest, file }: Pick<Setting, 'manifest' | 'file'>): LintCandidate {
  const inner = (field: string): SourceRange => manifest.locate(`${path}.${field}`);
  const source = (field: string): string | undefined => manifest.source(`${path}.${field}`);
  const candidate = candidateOf({ kind: 'Service', object: whole(input), locate: inner, source }, 'default');
  if (candidate.object !== undefined) return candidate;
  throw failed(
    candidate.findings.map(({ violation }) =>
      lineOf(file, inner(violation.field), `${path}.${violation.field}: ${errorBody(violation)}`),
    ),
  );
}

function casesOf(setting: Setting): readonly PolicyTestCase[] {
  const { input, manifest, ...shared } = setting;
  const namespaces: readonly Labelled[] = Object.entries(input.namespaces ?? {});
  const services = (input.services ?? []).map(
    (each, at) => serviceAt(each, `services[${at}]`, setting).object as Service,
  );
  return input.cases.map((each, at) => {
    const path = `cases[${at}]`;
    const service = serviceAt(each.service, `${path}.service`, setting);
    const { namespace } = (service.object as Service).metadata;
    const own: readonly Labelled[] = each.namespaceLabels === undefined ? [] : [[namespace, each.namespaceLabels]];
    const bare: Labelled = [namespace, {}];
    const now = each.now ?? input.now;
    return {
      ...shared,
      range: manifest.locate(`${path}.name`),
      name: each.name,
      now: now === undefined ? undefined : Date.parse(now),
      namespaces: new Map([bare, ...namespaces, ...own].map(withName)),
      services,
      stored: each.stored === undefined ? undefined : serviceAt(each.stored, `${path}.stored`, setting),
      service,
      expect: each.expect,
    };
  });
}

type Labelled = readonly [namespace: string, labels: Readonly<Record<string, string>>];

/** Adds the label that the API server sets on every namespace. */
const withName = ([name, labels]: Labelled): Labelled => [name, { ...labels, 'kubernetes.io/metadata.name': name }];

/** Resolves a file name against the folder of the test. */
const pathFrom = ({ name: own }: Source, name: string): string => (isAbsolute(name) ? name : join(dirname(own), name));

/** Returns the policies in the files and folders that a test names. Without names, returns the policies in the files of the command. */
async function policiesOf(names: readonly string[] | undefined, own: Source, known: Policies): Promise<Policies> {
  if (names === undefined) return known;
  const sources = await readSources(
    names.map((name) => pathFrom(own, name)),
    false,
  );
  const { problems, ...policies } = policiesIn(sources);
  if (problems.length > 0) throw failed(problems.map(problemLine));
  return policies;
}

async function settingOf(manifest: Manifest, own: Source, known: Policies): Promise<Setting> {
  const { data: input, error } = TestShape.safeParse(manifest.object);
  if (input === undefined) {
    throw failed(
      error.issues.map((issue) => {
        const field = issuePath(issue);
        const body = issueBody(issue, manifest.object);
        return lineOf(own.name, manifest.locate(field), `PolicyTest: ${field === '' ? '' : `${field}: `}${body}`);
      }),
    );
  }
  const policies = await policiesOf(input.policies, own, known);
  requireSome(policies, input.policies, manifest, own);
  const facts = input.facts === undefined ? own : await readSource(pathFrom(own, input.facts));
  const hasFacts = input.facts !== undefined || readManifests(own.text, isInventoryObject).manifests.length > 0;
  return {
    test: input.metadata?.name ?? own.name,
    file: own.name,
    input,
    manifest,
    policies,
    hasFacts,
    factsAt: (now) => (hasFacts ? fileFacts(facts, { now: () => now }) : noFacts()),
  };
}

function requireSome(
  { policies, exceptions }: Policies,
  names: readonly string[] | undefined,
  { locate }: Manifest,
  { name }: Source,
): void {
  if (policies.length + exceptions.length > 0) return;
  const what =
    names === undefined
      ? 'PolicyTest: no LoadBalancerPolicy found for the test: name its file in the command, or in the field policies'
      : `PolicyTest: policies: no LoadBalancerPolicy found in ${names.map((each) => plain(each)).join(', ')}`;
  throw failed([lineOf(name, locate(names === undefined ? '' : 'policies'), what)]);
}

/** Returns the cases of all `PolicyTest` objects. Rejects with `InvalidConfiguration`, with line and column, if a test or a policy is invalid. */
export async function casesIn(sources: readonly Source[]): Promise<readonly PolicyTestCase[]> {
  const { problems, ...policies } = policiesIn(sources);
  const files = sources.map((source) => ({ source, ...readManifests(source.text, isTest) }));
  const unreadable = files.flatMap(({ source, unreadable: parts }) =>
    parts.map(({ range, what }) => lineOf(source.name, range, plain(what))),
  );
  const lines = [...new Set([...problems.map(problemLine), ...unreadable])];
  if (lines.length > 0) throw failed(lines);
  const cases: PolicyTestCase[] = [];
  for (const { source, manifests } of files) {
    for (const manifest of manifests) cases.push(...casesOf(await settingOf(manifest, source, policies)));
  }
  return cases;
}
