import { z } from 'zod';
import { CLOUD_CONFIG } from '../../src/base/cloud-config-schema.ts';
import { ExceptionShape } from '../../src/lint/policy/exception-shape.ts';
import { PolicyShape } from '../../src/lint/policy/load-balancer-policy-schema.ts';
import { TestShape } from '../../src/policy-test/test-shape.ts';

interface EditorSchema {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly shape: z.ZodType;
  /** Fields that a file must have, in addition to the required fields of the shape. */
  readonly required?: readonly string[];
}

/** The JSON schemas of the files that users write, for completion in editors. `make generate` writes them into docs/reference. */
export const EDITOR_SCHEMAS: readonly EditorSchema[] = [
  {
    path: 'docs/reference/load-balancer-policy.schema.json',
    title: 'LoadBalancerPolicy',
    description: 'Rules, defaults and quotas that a platform team sets for the Services of a cluster.',
    shape: PolicyShape,
    required: ['kind'],
  },
  {
    path: 'docs/reference/load-balancer-exception.schema.json',
    title: 'LoadBalancerException',
    description: 'An exception from one rule, for one object or for selected Services, until a date.',
    shape: ExceptionShape,
    required: ['kind'],
  },
  {
    path: 'docs/reference/policy-test.schema.json',
    title: 'PolicyTest',
    description: 'Services and the expected results of policies for them. Only portcullis policy test reads the kind.',
    shape: TestShape,
  },
  {
    path: 'docs/reference/cloud-config.schema.json',
    title: 'Cloud-config file',
    description: 'The configuration of the controller for a cluster.',
    shape: CLOUD_CONFIG,
  },
];

/** Returns a JSON Schema in draft 7, which editors read. */
export function editorSchema({ title, description, shape, required = [] }: EditorSchema): string {
  const { $schema, ...schema } = z.toJSONSchema(shape, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      for (const key of Object.keys(jsonSchema)) {
        if (key.startsWith('x-kubernetes-') || key === 'propertyNames') Reflect.deleteProperty(jsonSchema, key);
      }
      // Defaults of parsed texts are not texts.
      if (jsonSchema.type === 'string' && typeof jsonSchema.default !== 'string') delete jsonSchema.default;
      // The format implies the pattern.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  const all = [...required, ...(schema.required ?? [])];
  return `${JSON.stringify({ $schema, title, description, ...schema, required: all }, undefined, 2)}\n`;
}
