import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { z } from 'zod';
import { ExceptionShape, PolicyShape } from '../../../src/lint/policy/shape.ts';
import { exceptionDefinition, policyDefinition } from '../../support/policy-crds.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Definition {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: { readonly properties: { readonly spec: Schema } } };
    }[];
  };
}

/** Constraints of a value that both kinds of schema express. Their patterns and validations differ, and are compared separately. */
const KEYWORDS = ['enum', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'default'] as const;

function essence(schema: Schema): Schema {
  const inner = (value: unknown): Schema => essence(value as Schema);
  const properties = Object.entries((schema['properties'] ?? {}) as Schema);
  const required = ((schema['required'] ?? []) as readonly string[]).filter((name) => !hasDefault(schema, name));
  const values = KEYWORDS.filter((key) => schema[key] !== undefined).map((key) => [key, sorted(schema[key])] as const);
  return {
    type: schema['type'],
    ...Object.fromEntries(values),
    ...(schema['items'] === undefined ? {} : { items: inner(schema['items']) }),
    ...(properties.length === 0
      ? {}
      : {
          properties: Object.fromEntries(properties.map(([name, value]) => [name, inner(value)])),
          required: required.toSorted(),
        }),
  };
}

const hasDefault = ({ properties }: Schema, name: string): boolean =>
  ((properties as Readonly<Record<string, Schema>>)[name]?.['default'] ?? undefined) !== undefined;
const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.toSorted() : value);

const ofDefinition = (text: string): Schema => {
  const [version] = (parse(text) as Definition).spec.versions;
  return version?.schema.openAPIV3Schema.properties.spec ?? assert.fail('it has no version');
};
function ofShape(shape: z.ZodType): Schema {
  const { properties } = z.toJSONSchema(shape) as { readonly properties?: Readonly<Record<string, unknown>> };
  return (properties?.['spec'] ?? assert.fail('it has no spec')) as Schema;
}

const KINDS = [
  ['LoadBalancerPolicy', policyDefinition(), PolicyShape],
  ['LoadBalancerException', exceptionDefinition(), ExceptionShape],
] as const;

/** Returns the messages of all validations of a definition, except those that compare with the stored object. */
function messagesIn(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(messagesIn);
  if (typeof schema !== 'object' || schema === null) return [];
  const { rule, message } = schema as { readonly rule?: unknown; readonly message?: unknown };
  if (typeof rule === 'string' && typeof message === 'string') return rule.includes('oldSelf') ? [] : [message];
  return Object.values(schema).flatMap(messagesIn);
}

const spec = { annotation: 'spec' };
const EVERYTHING = { present: true };
const requiring = (condition: object): object => ({ constraints: [{ name: 'c', require: [condition] }] });
const quota = (input: object): object => ({ quotas: [{ name: 'c', ...input }] });
const selecting = (expression: object): object => ({
  match: { namespaceSelector: { matchExpressions: [expression] } },
  ...quota({ listeners: 1 }),
});

/** Invalid objects, at least one for each validation. */
const BAD: Readonly<Record<(typeof KINDS)[number][0], readonly object[]>> = {
  LoadBalancerPolicy: [
    {},
    { ...requiring({ ...spec, ...EVERYTHING }), ...quota({ listeners: 1 }) },
    { match: { serviceSelector: { matchLabels: { app: 'web' } } }, ...quota({ listeners: 1 }) },
    quota({}),
    quota({ listeners: 1, mode: 'warn', enforceAfter: '2026-12-01T00:00:00Z' }),
    selecting({ key: 'team', operator: 'Exists', values: ['shop'] }),
    requiring(EVERYTHING),
    requiring(spec),
    requiring({ ...spec, present: false, oneOf: ['a'] }),
    requiring({ annotation: 'bandwidth', min: 2, max: 1 }),
    requiring({ ...spec, min: 2 }),
  ],
  LoadBalancerException: [
    { rule: 'target-prot', object: { name: 'web' } },
    { rule: 'target-port' },
    { rule: 'target-port', selector: { namespaceSelector: {} } },
    { rule: 'target-port', selector: { serviceSelector: { matchLabels: { app: 'web' } } } },
    { rule: 'target-port', selector: { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } },
  ].map((input) => ({ owner: 'a', reason: 'b', expires: '2027-01-01T00:00:00Z', ...input })),
};

/** Lint checks policies without a cluster, so its schema must equal that of the API server. */
describe('the schema for files', () => {
  for (const [kind, definition, shape] of KINDS) {
    it(`equals the schema of the API server for a ${kind}`, () => {
      assert.deepEqual(essence(ofShape(shape)), essence(ofDefinition(definition)));
    });

    it(`rejects for a ${kind} exactly what the API server rejects, with the same messages`, () => {
      const input = BAD[kind].flatMap(
        (bad) =>
          shape.safeParse({ metadata: { name: 'p' }, spec: bad }).error?.issues.map(({ message }) => message) ?? [],
      );
      const wanted = messagesIn(ofDefinition(definition));
      assert.deepEqual(
        [...new Set(wanted)].filter((message) => !input.includes(message)),
        [],
      );
      assert.ok(wanted.length > 0);
    });
  }
});
