import { z } from 'zod';
import { errorBody } from '../../base/field-error.ts';

// The shapes of policies and exceptions are the source of the custom resource definitions and of the JSON schemas for editors.

/** A validation across fields. The API server evaluates `rule`, in CEL. Commands validate files with `holds`. */
interface Validation<Value> {
  readonly rule: string;
  readonly message: string;
  /** Undefined if the validation compares with the stored object. */
  readonly holds?: (value: Value) => boolean;
}

/** Adds validations to a shape, for files and for the CRD. */
export function validated<Shape extends z.ZodType>(
  shape: Shape,
  ...validations: readonly Validation<z.output<Shape>>[]
): Shape {
  const refined = validations.reduce(
    (all, { holds, message }) => (holds === undefined ? all : all.refine(holds, message)),
    shape,
  );
  return refined.meta({ 'x-kubernetes-validations': validations.map(({ rule, message }) => ({ rule, message })) });
}

export const text = (most: number): z.ZodString => z.string().min(1).max(most);
export const integer = (least: number, most: number): z.ZodInt => z.int().min(least).max(most);
export const date = (description: string): z.ZodISODateTime => z.iso.datetime({ offset: true }).describe(description);
/** Builds the shape of a DNS label. */
export const label = (description: string): z.ZodString =>
  text(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must consist of lower-case letters, digits and dashes')
    .describe(description);

export const list = <Item extends z.ZodType>(item: Item, most: number): z.ZodArray<Item> =>
  z.array(item).min(1).max(most).meta({ 'x-kubernetes-list-type': 'atomic' });

/** Rejects each item that equals an earlier item. With `key`, rejects each item whose key equals the key of an earlier item. */
const withoutRepeats = <Item extends z.ZodType>(items: z.ZodArray<Item>, key?: 'name' | 'rule'): z.ZodArray<Item> =>
  items.superRefine((all, context) => {
    const keys = all.map((each) => (key === undefined ? each : (each as Readonly<Record<string, unknown>>)[key]));
    for (const [at, value] of keys.entries()) {
      if (keys.indexOf(value) === at) continue;
      const detail = key === undefined ? '' : `another item has this ${key}`;
      const message = errorBody({ reason: 'Duplicate', value: String(value), detail });
      context.addIssue({ code: 'custom', path: key === undefined ? [at] : [at, key], message });
    }
  });

/** Builds the shape of a list of unique values. */
export const set = <Item extends z.ZodType>(item: Item, most: number): z.ZodArray<Item> =>
  withoutRepeats(list(item, most)).meta({ 'x-kubernetes-list-type': 'set' });

/** Builds the shape of a list whose items have unique values of `key`. */
export const mapList = <Item extends z.ZodType>(item: Item, key: 'name' | 'rule', most: number): z.ZodArray<Item> =>
  withoutRepeats(list(item, most), key).meta({
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
  });

/** Returns the text of a CEL list of strings. */
export const celList = (values: readonly string[]): string => `[${values.map((value) => `'${value}'`).join(', ')}]`;

const Labels = z
  .record(z.string(), z.string().max(63))
  .refine((labels) => Object.keys(labels).length <= 32, { error: 'must have at most 32 labels' })
  .meta({ description: 'The labels and their required values.', maxProperties: 32 });

const Expression = validated(
  z.strictObject({
    key: text(317).describe('The key of the label.'),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('The relation of the label to the values.'),
    values: list(z.string().max(63), 64)
      .optional()
      .describe('The values; required for In and NotIn, otherwise forbidden.'),
  }),
  {
    rule: "(self.operator in ['In', 'NotIn']) == has(self.values)",
    message: 'In and NotIn require values; Exists and DoesNotExist must not have values',
    holds: ({ operator, values }) => (operator === 'In' || operator === 'NotIn') === (values !== undefined),
  },
);

const Selector = z.strictObject({
  matchLabels: Labels.optional(),
  matchExpressions: list(Expression, 32).optional().describe('The expressions that must all hold.'),
});

/** Builds the shape of a `meta/v1` LabelSelector. */
export const selector = (description: string): typeof Selector => Selector.describe(description);

/** Returns whether a selector has a requirement. */
export const isSelecting = (input: z.output<typeof Selector> | undefined): boolean =>
  Object.keys(input?.matchLabels ?? {}).length > 0 || input?.matchExpressions !== undefined;

const Mode = z
  .enum(['enforce', 'warn', 'audit'])
  .describe(
    'enforce: a violation is denied. warn: the client gets a warning. audit: the audit log gets an entry. Defaults to enforce.',
  );

/** The fields that determine when and how a rule takes effect. */
export const ENFORCEMENT = {
  mode: Mode.optional(),
  enforceAfter: date(
    'Before this date, a violation gets a warning that names the date. From this date on, it is denied.',
  ).optional(),
};

/** The validation of the fields in `ENFORCEMENT`. */
export const ENFORCED_LATER: Validation<Readonly<Partial<Record<'mode' | 'enforceAfter', string | undefined>>>> = {
  rule: "!has(self.enforceAfter) || !has(self.mode) || self.mode == 'enforce'",
  message: 'enforceAfter requires the mode enforce: omit mode, or set mode to enforce',
  holds: ({ mode = 'enforce', enforceAfter }) => enforceAfter === undefined || mode === 'enforce',
};

/** Builds the shape of a custom resource of Portcullis, for objects from files and from the API server. */
export const objectShape = <Kind extends string, Spec extends z.ZodType>(kind: Kind, spec: Spec) =>
  z.strictObject({
    apiVersion: z.literal('portcullis.io/v1alpha1'),
    kind: z.literal(kind).optional(),
    metadata: z.looseObject({ name: text(63).describe('The name. Denials contain the name.') }),
    spec,
    status: z.unknown().optional().describe('The state, which only the controller writes.'),
  });
