/** A structural schema of a CustomResourceDefinition. The functions of this file compose the generated definitions. */
export type Schema = Readonly<Record<string, unknown>>;

interface Field {
  readonly description?: string;
  readonly [more: string]: unknown;
}

export const text = (most: number, more: Field = {}): Schema => ({
  type: 'string',
  minLength: 1,
  maxLength: most,
  ...more,
});
export const integer = (minimum: number, maximum: number, more: Field = {}): Schema => ({
  type: 'integer',
  format: 'int64',
  minimum,
  maximum,
  ...more,
});
export const date = (description: string): Schema => ({ type: 'string', format: 'date-time', description });
export const choice = (values: readonly string[], more: Field = {}): Schema => ({
  type: 'string',
  enum: values,
  ...more,
});
export const list = (items: Schema, most: number, more: Field = {}): Schema => ({
  type: 'array',
  'x-kubernetes-list-type': 'atomic',
  minItems: 1,
  maxItems: most,
  items,
  ...more,
});
/** Returns a list whose items are identified by a key. */
export const mapList = (items: Schema, key: string, most: number, more: Field = {}): Schema => ({
  ...list(items, most, more),
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [key],
});
export const object = (properties: Readonly<Record<string, Schema>>, more: Field = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
});
/** Returns a validation in CEL, with the message of its violation. */
export const valid = (rule: string, message: string): Schema => ({ rule, message });

/** The schema of a `meta/v1` Condition. */
const CONDITION = object(
  {
    type: text(316, { description: 'The type of the condition.' }),
    status: choice(['True', 'False', 'Unknown'], { description: 'The status of the condition.' }),
    observedGeneration: integer(0, Number.MAX_SAFE_INTEGER, {
      description: 'The generation of the object that the condition describes.',
    }),
    lastTransitionTime: date('The time of the last change of the status.'),
    reason: text(1_024, { description: 'The reason for the status, in one word.' }),
    message: { type: 'string', maxLength: 32_768, description: 'The reason for the status, in a sentence.' },
  },
  { required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'] },
);

export const conditions: Schema = mapList(CONDITION, 'type', 16, {
  description: 'Whether the object is in effect, and the reason if not.',
});
export const observedGeneration: Schema = integer(0, Number.MAX_SAFE_INTEGER, {
  description: 'The generation of the object that the status describes.',
});
