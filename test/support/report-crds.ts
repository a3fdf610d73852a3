import { stringify } from 'yaml';

const text = { type: 'string' } as const;
const number = { type: 'integer' } as const;
const oneOf = (...values: readonly string[]) => ({ type: 'string', enum: values });
const object = (properties: object, required?: readonly string[]) => ({
  type: 'object',
  properties,
  ...(required === undefined ? {} : { required }),
});
const list = (items: object) => ({ type: 'array', items });
const texts = { type: 'object', additionalProperties: text } as const;

const REFERENCE = object({
  ...{ apiVersion: text, kind: text, namespace: text, name: text },
  ...{ uid: text, resourceVersion: text, fieldPath: text },
});

const RESULT = object(
  {
    ...{ source: text, policy: text, rule: text, category: text, message: text },
    severity: oneOf('critical', 'high', 'medium', 'low', 'info'),
    result: oneOf('pass', 'fail', 'warn', 'error', 'skip'),
    scored: { type: 'boolean' },
    timestamp: object({ seconds: { ...number, format: 'int64' }, nanos: { ...number, format: 'int32' } }, [
      'seconds',
      'nanos',
    ]),
    resources: list(REFERENCE),
    properties: texts,
  },
  ['policy'],
);

const REPORT = {
  scope: REFERENCE,
  summary: object({ pass: number, fail: number, warn: number, error: number, skip: number }),
  results: list(RESULT),
};

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly shortName: string;
  readonly fields: object;
}

/** Returns a definition as the project of the kind publishes it, but only with the used fields, so that the API server rejects other fields. */
const definitionOf = ({ group, version, kind, shortName, fields }: Kind): string => {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const schema = { openAPIV3Schema: object({ apiVersion: text, kind: text, metadata: { type: 'object' }, ...fields }) };
  return stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames: [shortName] },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  });
};

/** The definition of `wgpolicyk8s.io/v1alpha2` PolicyReport. */
export const POLICY_REPORTS = definitionOf({
  ...{ group: 'wgpolicyk8s.io', version: 'v1alpha2', kind: 'PolicyReport', shortName: 'polr' },
  fields: REPORT,
});

/** The definition of `openreports.io/v1alpha1` Report, which has its source at the top level. */
export const OPEN_REPORTS = definitionOf({
  ...{ group: 'openreports.io', version: 'v1alpha1', kind: 'Report', shortName: 'reps' },
  fields: { ...REPORT, source: text, configuration: object({ limits: object({ maxResults: number }) }, ['limits']) },
});
