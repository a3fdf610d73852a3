import { z } from 'zod';
import type { Schema } from './crd-schema-parts.ts';

/** The keywords of a schema in the order in which the definitions have them. */
const ORDER = [
  ...['type', 'format', 'x-kubernetes-list-type', 'minItems', 'maxItems', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'pattern', 'enum', 'default', 'items', 'properties', 'required', 'description'],
  ...['maxProperties', 'additionalProperties', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'],
];

const ordered = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).sort(([left], [right]) => ORDER.indexOf(left) - ORDER.indexOf(right)));

/** Returns the schema of a CustomResourceDefinition for a shape, by which `portcullis lint` checks the same objects. */
export function structuralSchema(shape: z.ZodType): Schema {
  const schema = z.toJSONSchema(shape, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // The API server rejects unknown fields on its own, and evaluates formats.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (jsonSchema.type === 'integer') jsonSchema.format = 'int64';
      delete jsonSchema.propertyNames;
    },
  });
  delete schema.$schema;
  const sorted: unknown = JSON.parse(JSON.stringify(schema), (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
      ? ordered({ ...value })
      : value,
  );
  return sorted as Schema;
}
