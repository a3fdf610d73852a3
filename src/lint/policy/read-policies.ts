import { z } from 'zod';
import { PortcullisError } from '../../base/errors.ts';
import { compilePolicy, type Problem } from '../../policy/compile.ts';
import { compileException } from '../../policy/exceptions.ts';
import type { LoadBalancerException, LoadBalancerPolicy } from '../../policy/custom-resources.ts';
import { errorBody } from '../../base/field-error.ts';
import { plain } from '../../rules/engine/safe-text.ts';
import { TUNABLE } from '../../rules/index.ts';
import { pathOf } from '../field-path.ts';
import { readManifests, type Manifest } from '../manifest.ts';
import { issueBody, issuePath, valueAt } from '../shape-error-text.ts';
import type { SourceRange } from '../source-range.ts';
import type { Source } from '../source.ts';
import { ExceptionShape } from './exception-shape.ts';
import { PolicyShape } from './load-balancer-policy-schema.ts';

/** Valid policies and exceptions from files or a cluster. */
export interface Policies {
  readonly policies: readonly LoadBalancerPolicy[];
  readonly exceptions: readonly LoadBalancerException[];
}

/** The labels of namespaces, by name. */
export type NamespaceLabels = ReadonlyMap<string, Readonly<Record<string, string>>>;

export const NO_POLICIES: Policies = { policies: [], exceptions: [] };

const GROUP = 'portcullis.io/';
const POLICY = 'LoadBalancerPolicy';
const EXCEPTION = 'LoadBalancerException';

/** Returns whether an object is a policy or an exception. */
export const isPolicy = (apiVersion: string, kind: string): boolean =>
  apiVersion.startsWith(GROUP) && (kind === POLICY || kind === EXCEPTION);

/** An error in an object, with its location. */
export interface PolicyProblem {
  readonly file: string;
  readonly range: SourceRange;
  readonly message: string;
}

/** A manifest, and the file that contains the manifest. */
interface ReadManifest {
  readonly manifest: Manifest;
  readonly file: string;
}

const nameOf = ({ kind, object }: Manifest): string => {
  const name = valueAt(object, ['metadata', 'name']);
  return typeof name === 'string' && name !== '' ? `${kind} ${name}` : kind;
};

const problemAt = ({ manifest, file }: ReadManifest, path: string, what: string): PolicyProblem => ({
  file,
  range: manifest.locate(path),
  message: plain(`${nameOf(manifest)}: ${path === '' ? '' : `${path}: `}${what}`, 2_000),
});

function shapeProblems(manifest: Manifest, file: string): readonly PolicyProblem[] {
  const shape = manifest.kind === POLICY ? PolicyShape : ExceptionShape;
  const all = shape.safeParse(manifest.object).error?.issues ?? [];
  // A misspelled field makes checks across fields fail, so only the misspelled field is reported.
  const misspelledIn = all.filter(({ code }) => code === 'unrecognized_keys').map(({ path }) => pathOf(path));
  const issues = all.filter(({ code, path }) => code !== 'custom' || !misspelledIn.includes(pathOf(path)));
  return issues.map((issue) => problemAt({ manifest, file }, issuePath(issue), issueBody(issue, manifest.object)));
}

function semanticProblems({ kind, object }: Manifest): readonly Problem[] {
  if (kind === POLICY) return compilePolicy(object as LoadBalancerPolicy, TUNABLE).problems;
  const { problem } = compileException(object as LoadBalancerException, TUNABLE);
  return problem === undefined ? [] : [problem];
}

/** Returns the errors in a policy or an exception. The API server and the webhook would report the same errors. */
function problemsOf(manifest: Manifest, file: string): readonly PolicyProblem[] {
  const ofShape = shapeProblems(manifest, file);
  if (ofShape.length > 0) return ofShape;
  return semanticProblems(manifest).map(({ path, message }) => problemAt({ manifest, file }, path, message));
}

/** Returns an error for each object that has the name of an earlier object. */
function repeated(all: readonly ReadManifest[]): readonly PolicyProblem[] {
  const seen = new Map<string, ReadManifest>();
  return all.flatMap((each) => {
    const name = nameOf(each.manifest);
    const before = seen.get(name);
    seen.set(name, each);
    if (before === undefined) return [];
    const where = `${before.file}:${before.manifest.locate('metadata.name').line}`;
    const value = String(valueAt(each.manifest.object, ['metadata', 'name']));
    const duplicate = errorBody({ reason: 'Duplicate', value, detail: `already used at ${where}` });
    return [problemAt(each, 'metadata.name', duplicate)];
  });
}

/** Returns the object as the API server stores it, with defaults and placeholders for metadata. */
function asStored({ kind, object }: Manifest): object {
  const { metadata, ...rest } = (kind === POLICY ? PolicyShape : ExceptionShape).parse(object);
  return { ...rest, kind, metadata: { ...metadata, uid: '', generation: 1, resourceVersion: '' } };
}

/** Returns the policies and exceptions among valid objects, such as objects from a cluster. */
export const policiesAmong = (objects: readonly { readonly kind: string }[]): Policies => ({
  policies: objects.filter(({ kind }) => kind === POLICY) as unknown as readonly LoadBalancerPolicy[],
  exceptions: objects.filter(({ kind }) => kind === EXCEPTION) as unknown as readonly LoadBalancerException[],
});

/** The policies and exceptions of files, and all errors in the files. */
export interface PoliciesRead extends Policies {
  readonly problems: readonly PolicyProblem[];
}

/** Reads the policies and exceptions of files. Skips all other objects. Returns no object if any object has an error. */
export function policiesIn(sources: readonly Source[]): PoliciesRead {
  const parts = sources.map(({ name, text }) => ({ file: name, ...readManifests(text, isPolicy) }));
  const unreadable = parts.flatMap((part) =>
    part.unreadable.map(({ range, what }) => ({ file: part.file, range, message: plain(what) })),
  );
  const all = parts.flatMap(({ file, manifests }) => manifests.map((manifest) => ({ file, manifest })));
  const problems = [
    ...unreadable,
    ...all.flatMap(({ manifest, file }) => problemsOf(manifest, file)),
    ...repeated(all),
  ];
  if (problems.length > 0) return { ...NO_POLICIES, problems };
  return { ...policiesAmong(all.map(({ manifest }) => ({ kind: manifest.kind, ...asStored(manifest) }))), problems };
}

/** Formats an error as a line, such as `rules.yaml:3:7: LoadBalancerPolicy ports: spec.quotas: …`. */
export const problemLine = ({ file, range, message }: PolicyProblem): string =>
  `${plain(file)}:${range.line}:${range.column}: ${message}`;

/** Reads policies and exceptions. Throws `InvalidConfiguration` with a line for each error, or if the files contain no policy and no exception. */
export function requirePolicies(sources: readonly Source[]): Policies {
  const { policies, exceptions, problems } = policiesIn(sources);
  if (problems.length > 0) throw new PortcullisError('InvalidConfiguration', problems.map(problemLine).join('\n'));
  if (policies.length + exceptions.length === 0) {
    const files = sources.map(({ name }) => plain(name)).join(', ');
    throw new PortcullisError('InvalidConfiguration', `${files}: no ${POLICY} or ${EXCEPTION} found`);
  }
  return { policies, exceptions };
}

/** Merges policies and exceptions of files (`first`) and of the cluster (`second`). Objects of `first` replace those of `second` with equal names. */
export const mergePolicies = (first: Policies, second: Policies): Policies => ({
  policies: [...first.policies, ...without(second.policies, first.policies)],
  exceptions: [...first.exceptions, ...without(second.exceptions, first.exceptions)],
});

function without<Kind extends LoadBalancerPolicy | LoadBalancerException>(
  all: readonly Kind[],
  named: readonly Kind[],
): readonly Kind[] {
  const names = new Set(named.map(({ metadata }) => metadata.name));
  return all.filter(({ metadata }) => !names.has(metadata.name));
}

const NamespaceShape = z.looseObject({
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()).nullish() }),
});
const isNamespace = (apiVersion: string, kind: string): boolean => apiVersion === 'v1' && kind === 'Namespace';

/** Returns the labels of the namespaces among objects. Adds the label `kubernetes.io/metadata.name`, which the API server sets. */
export const labelsAmong = (objects: Iterable<unknown>): NamespaceLabels =>
  new Map(
    [...objects].flatMap((object) => {
      const { data } = NamespaceShape.safeParse(object);
      if (data === undefined) return [];
      const { name, labels } = data.metadata;
      return [[name, { ...labels, 'kubernetes.io/metadata.name': name }] as const];
    }),
  );

/** Returns the labels of the namespaces in files. Ignores unreadable parts, which other readers of the files report. */
export const namespacesIn = (sources: readonly Source[]): NamespaceLabels =>
  labelsAmong(sources.flatMap(({ text }) => readManifests(text, isNamespace).manifests.map(({ object }) => object)));
