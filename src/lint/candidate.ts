import { isManagedByOtherController, nameOf } from '../rules/engine/subject.ts';
import type { Finding } from '../rules/engine/evaluate.ts';
import type { Violation, RuleCard } from '../rules/rule.ts';
import { WELL_KNOWN } from '../annotation/well-known-names.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import type { Node, Service } from '../base/kubernetes-objects.ts';
import type { Applicable } from './applied-object.ts';
import { CHECKS } from './lint-check-docs.ts';
import { withCurrentKeys, type Deprecated } from './current-keys.ts';
import type { Manifest } from './manifest.ts';
import type { SourceRange } from './source-range.ts';
import { shaped } from './field-types.ts';

/** Returns whether rules exist for objects of this kind. */
export const isEvaluatedKind = (apiVersion: string, kind: string): boolean =>
  apiVersion === 'v1' && (kind === 'Service' || kind === 'Node');

/** An object of a manifest, in the form in which `lint`, `plan` and `policy` evaluate it. */
export interface LintCandidate {
  /** The kind and the name, such as `Service shop/web`. */
  readonly name: string;
  /** The object with its kind and current annotation keys. Undefined if a field has a wrong type, except values of labels and annotations. */
  readonly object: Service | Node | undefined;
  /** The findings of `lint` itself, before any rule is evaluated. */
  readonly findings: readonly Finding[];
  /** Returns the source range of a field, also of a field under a deprecated key. */
  readonly locate: (field: string) => SourceRange;
}

const finding = (rule: RuleCard, violation: Violation): Finding => ({ rule, violation });

const deprecatedViolation = (field: string, { old, current, against }: Deprecated): Violation => ({
  field,
  reason: 'Invalid',
  value: old,
  detail:
    against === undefined
      ? `the key is deprecated: use ${current}`
      : `the key is deprecated and has no effect, because ${against} has another value`,
  ...(against === undefined ? {} : { remedy: 'remove this key' }),
  advice: true,
});

const OLD_LABELS = Object.values(WELL_KNOWN).flatMap((mark) =>
  mark.kind === 'node-label' && 'replacedBy' in mark ? [{ old: mark.name, current: mark.replacedBy }] : [],
);

/** Returns a finding for each deprecated label of a Node. Unlike annotations, labels are not renamed, because selectors may use deprecated labels. */
function labelFindings(labels: Readonly<Record<string, string>> = {}): readonly Finding[] {
  return OLD_LABELS.filter(({ old }) => Object.hasOwn(labels, old)).map((pair) =>
    finding(CHECKS.deprecated, deprecatedViolation(`metadata.labels[${pair.old}]`, pair)),
  );
}

/** Returns the name and namespace of an object. `namespace` is the default namespace. An object without a name gets an empty name. */
export function namesOf(
  { kind, object }: Pick<Manifest, 'kind' | 'object'>,
  namespace: string,
): { readonly name: string; readonly namespace: string } {
  const metadata = (object as Partial<Applicable> | null)?.metadata;
  const own = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { name: own(metadata?.name), namespace: kind === 'Node' ? '' : own(metadata?.namespace) || namespace };
}

/** Checks the types of an object, and replaces its deprecated keys, before rules are evaluated. `namespace` is the default namespace. */
export function candidateOf(manifest: Manifest, namespace: string): LintCandidate {
  const { kind } = manifest;
  const named = namesOf(manifest, namespace);
  const { violations, object } = shaped(manifest);
  const typeFindings = violations.map((violation) => finding(CHECKS.type, violation));
  const candidate = { name: nameOf({ kind: { kind }, object: manifest.object, ...named }), locate: manifest.locate };
  if (object === undefined) return { ...candidate, object, findings: typeFindings };
  if (kind === 'Node') {
    const node = { ...(object as Node), kind };
    return { ...candidate, object: node, findings: [...typeFindings, ...labelFindings(node.metadata.labels)] };
  }
  return { ...candidate, ...serviceCandidate(withNames(object as Service, named), typeFindings, manifest) };
}

const withNames = (object: Service, named: { readonly name: string; readonly namespace: string }): Service => ({
  ...object,
  kind: 'Service',
  metadata: { ...object.metadata, ...named },
});

/** Replaces deprecated keys, as the webhook does before evaluation. A Service of another controller stays unchanged. */
function serviceCandidate(
  object: Service,
  findings: readonly Finding[],
  { locate }: Manifest,
): Pick<LintCandidate, 'object' | 'findings' | 'locate'> {
  if (isManagedByOtherController(object)) return { object, findings, locate };
  const { values, writtenAs, deprecated } = withCurrentKeys(object.metadata.annotations ?? {});
  if (deprecated.length === 0) return { object, findings, locate };
  const written = new Map([...writtenAs].map(([current, old]) => [annotationField(current), annotationField(old)]));
  return {
    object: { ...object, metadata: { ...object.metadata, annotations: values } },
    findings: [
      ...findings,
      ...deprecated.map((key) => finding(CHECKS.deprecated, deprecatedViolation(annotationField(key.old), key))),
    ],
    locate: (field) => locate(written.get(field) ?? field),
  };
}
