import { ENTRIES } from '../../src/annotation/catalogue.ts';
import { suffixOf } from '../../src/annotation/keys.ts';
import { TUNABLE as RULES } from '../../src/rules/index.ts';

/** A structural schema of a CustomResourceDefinition. */
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

/** The suffixes of annotations that a policy can name, without those that select another controller. */
export const ANNOTATIONS: readonly string[] = ENTRIES.filter(([, { appliesTo }]) => !appliesTo.includes('selection'))
  .map(([, { key }]) => suffixOf(key))
  .sort();
/** The annotations that can have a default, without those that select a reused load balancer. */
export const DEFAULTABLE: readonly string[] = ENTRIES.filter(
  ([, { appliesTo, onReused }]) => !appliesTo.includes('selection') && onReused !== 'only',
)
  .map(([, { key }]) => suffixOf(key))
  .sort();
/** The annotations with a number as value. */
export const NUMBERS: readonly string[] = ENTRIES.filter(([, { value }]) => value.kind === 'integer')
  .map(([, { key }]) => suffixOf(key))
  .sort();

/** Rules that a policy can tune and an exception can lift: denying rules, without those that protect other Services. */
export const TUNABLE: readonly string[] = [...RULES.keys()];

/** Returns a list in CEL. */
export const among = (values: readonly string[]): string => `[${values.map((value) => `'${value}'`).join(', ')}]`;

const LABEL_VALUE = { type: 'string', maxLength: 63 };

/** Returns the schema of a `meta/v1` LabelSelector. */
export const selector = (description: string): Schema =>
  object(
    {
      matchLabels: {
        type: 'object',
        description: 'The labels and their required values.',
        maxProperties: 32,
        additionalProperties: LABEL_VALUE,
      },
      matchExpressions: list(
        object(
          {
            key: text(317, { description: 'The key of the label.' }),
            operator: choice(['In', 'NotIn', 'Exists', 'DoesNotExist'], {
              description: 'The relation of the label to the values.',
            }),
            values: list(LABEL_VALUE, 64, {
              description: 'The values; required for In and NotIn, otherwise forbidden.',
            }),
          },
          {
            required: ['key', 'operator'],
            'x-kubernetes-validations': [
              valid(
                "(self.operator in ['In', 'NotIn']) == has(self.values)",
                'In and NotIn require values; Exists and DoesNotExist must not have values',
              ),
            ],
          },
        ),
        32,
        { description: 'The expressions that must all hold.' },
      ),
    },
    { description },
  );

/** Pattern of the API server for a DNS label. */
export const LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
export const name = (description: string): Schema => text(63, { pattern: LABEL, description });

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
