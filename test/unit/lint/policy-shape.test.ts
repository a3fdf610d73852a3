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

/** What both kinds of schema say of a value, in one form; patterns and validations, which they write differently, apart. */
const SAID = ['enum', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'default'] as const;

function essence(schema: Schema): Schema {
  const inner = (value: unknown): Schema => essence(value as Schema);
  const properties = Object.entries((schema['properties'] ?? {}) as Schema);
  const required = ((schema['required'] ?? []) as readonly string[]).filter((name) => !hasDefault(schema, name));
  const values = SAID.filter((key) => schema[key] !== undefined).map((key) => [key, sorted(schema[key])] as const);
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

describe('the shape that files are read by', () => {
  for (const [kind, definition, shape] of KINDS) {
    it(`is the one that the API server knows of a ${kind}`, () => {
      assert.deepEqual(essence(ofShape(shape)), essence(ofDefinition(definition)));
    });
  }
});
