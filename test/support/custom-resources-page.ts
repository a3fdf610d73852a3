import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseManifests, root } from './manifests.ts';
import { exceptionDefinition, policyDefinition } from './policy-crds.ts';

interface Validation {
  readonly message: string;
}

/** The part of a structural schema that the page shows. */
interface Schema {
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: string | number | boolean;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly 'x-kubernetes-validations'?: readonly Validation[];
}

interface Definition {
  readonly scope: string;
  readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] };
  readonly versions: readonly {
    readonly subresources?: { readonly status?: object };
    readonly additionalPrinterColumns: readonly {
      readonly name: string;
      readonly jsonPath: string;
      readonly priority?: number;
    }[];
    readonly schema: { readonly openAPIV3Schema: Schema };
  }[];
}

interface Kind {
  readonly text: () => string;
  readonly writer: string;
  /** The page that explains the kind, as a link. */
  readonly page: string;
}

const fromFile = (name: string) => (): string => readFileSync(join(root, 'manifests/crds', name), 'utf8');
const ADMINISTRATORS = 'administrators (`spec`), the controller (`status`)';
const CONTROLLER = 'the controller only';

const KINDS: readonly Kind[] = [
  {
    text: fromFile('classic-load-balancers.yaml'),
    writer: CONTROLLER,
    page: '[Architecture](../concepts/architecture.md)',
  },
  { text: fromFile('cloud-inventories.yaml'), writer: CONTROLLER, page: '[Architecture](../concepts/architecture.md)' },
  { text: fromFile('load-balancer-bindings.yaml'), writer: CONTROLLER, page: '[Bindings](../concepts/binding.md)' },
  { text: policyDefinition, writer: ADMINISTRATORS, page: '[Set policies](../tasks/set-policies.md)' },
  { text: exceptionDefinition, writer: ADMINISTRATORS, page: '[Set policies](../tasks/set-policies.md)' },
];

/** The fields with long lists of names, and the page that has the list. */
const NAMES: Readonly<Record<string, string>> = {
  annotation: 'the name of an [annotation](annotations.md)',
  rule: 'the name of a tunable [rule](rules.md)',
};
/** The maximum number of values that the page lists. A longer enumeration must have an entry in `NAMES`. */
const MOST_VALUES = 8;

/** The fields of every object, which the definitions do not describe. */
const OF_EVERY_OBJECT: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const INTRODUCTION = `<!-- Generated from the CustomResourceDefinitions by \`make generate\`. Change the definitions, not this page. -->

# Custom resources

This page is for users who read or write the objects of Portcullis. All kinds have the API version \`portcullis.io/v1alpha1\`.
\`kubectl explain KIND.FIELD\` prints the same texts.`;

const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replaceAll('|', '\\|');
const table = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
/** Escapes the characters that have a meaning in Markdown. */
const plain = (text: string): string => text.replaceAll(/[<*]/g, String.raw`\$&`);

function typeOf({ type, format, items, additionalProperties }: Schema): string {
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (additionalProperties !== undefined) return `map of ${typeOf(additionalProperties)}`;
  return format === 'date-time' ? 'date-time' : type;
}

/** Returns `1 to 64 characters`, `at most 64 items` or `at least 1`. */
function range(least: number | undefined, most: number | undefined, unit = ''): readonly string[] {
  // A maximum of 2^53 − 1 means no limit.
  const limit = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  if (limit === undefined) return least === undefined ? [] : [`at least ${least}${unit}`];
  return [least === undefined ? `at most ${limit}${unit}` : `${least} to ${limit}${unit}`];
}

function valuesOf(name: string, values: readonly string[]): string {
  if (values.length <= MOST_VALUES) return values.map(code).join(', ');
  const names = NAMES[name];
  if (names === undefined) throw new Error(`${name} has ${values.length} values, which no page lists`);
  return names;
}

function each({ limits, isEnum }: { readonly limits: string; readonly isEnum: boolean }): string {
  if (limits === '') return '';
  return isEnum ? `each one of ${limits}` : `each ${limits}`;
}

/** Returns the description of the permitted values of a field. */
function limitsOf(name: string, schema: Schema): string {
  const { enum: values, pattern, items } = schema;
  const limits = [
    ...(values === undefined ? [] : [valuesOf(name, values)]),
    ...(pattern === undefined ? [] : [code(pattern)]),
    ...range(schema.minimum, schema.maximum),
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minItems, schema.maxItems, ' items'),
    ...range(undefined, schema.maxProperties, ' entries'),
    ...(items === undefined || items.type === 'object'
      ? []
      : [each({ limits: limitsOf(name, items), isEnum: items.enum !== undefined })]),
    ...(schema.default === undefined ? [] : [`default ${code(String(schema.default))}`]),
  ];
  return limits.filter((limit) => limit !== '').join('; ');
}

interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly row: readonly string[];
}

/** Returns the fields of an object with all nested fields. A field precedes its nested fields. */
function fieldsOf({ properties = {}, required = [] }: Schema, prefix = ''): readonly Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const { description } = schema;
    if (description === undefined && !OF_EVERY_OBJECT.has(path)) throw new Error(`${path} has no description`);
    const isRequired = required.includes(name) ? 'yes' : '';
    const row = [code(path), typeOf(schema), isRequired, limitsOf(name, schema), plain(description ?? '')];
    const inner = schema.items ?? schema;
    const innerPrefix = schema.items === undefined ? `${path}.` : `${path}[].`;
    return [{ path, schema, row }, ...fieldsOf(inner, innerPrefix)];
  });
}

/** Returns the validations in CEL, each with its field. */
function validationsOf(schema: Schema, fields: readonly Field[]): readonly string[] {
  const messages = [
    ...(schema['x-kubernetes-validations'] ?? []).map(({ message }) => ['metadata', message] as const),
    ...fields.flatMap(({ path, schema: field }) => [
      ...(field['x-kubernetes-validations'] ?? []).map(({ message }) => [path, message] as const),
      ...(field.items?.['x-kubernetes-validations'] ?? []).map(({ message }) => [`${path}[]`, message] as const),
    ]),
  ];
  const pathsOf = Map.groupBy(messages, ([, message]) => message);
  return [...pathsOf].map(
    ([message, rows]) => `- ${[...new Set(rows.map(([path]) => code(path)))].join(', ')}: ${plain(message)}`,
  );
}

function sectionOf({ text, writer, page }: Kind): string {
  const [manifest] = parseManifests(text());
  const { names, scope, versions } = manifest?.['spec'] as Definition;
  const [version] = versions;
  if (version === undefined) throw new Error(`${names.kind} has no version`);
  const schema = version.schema.openAPIV3Schema;
  const fields = fieldsOf(schema).filter(({ path }) => !OF_EVERY_OBJECT.has(path));
  const validations = validationsOf(schema, fields);
  return [
    `## ${names.kind}`,
    plain(schema.description ?? ''),
    table(
      ['', ''],
      [
        ['Resource', code(`${names.plural}.portcullis.io`)],
        ['Short names', (names.shortNames ?? []).map(code).join(', ') || 'none'],
        ['Scope', scope],
        ['Written by', writer],
        ['Status subresource', version.subresources?.status === undefined ? 'no' : 'yes'],
        ['More', page],
      ],
    ),
    'Columns of `kubectl get`, after `NAME`:',
    table(
      ['column', 'value', 'shown'],
      version.additionalPrinterColumns.map(({ name, jsonPath, priority = 0 }) => [
        code(name.toUpperCase()),
        code(jsonPath),
        priority === 0 ? 'always' : 'with `-o wide`',
      ]),
    ),
    'Fields:',
    table(
      ['field', 'type', 'required', 'values', 'description'],
      fields.map(({ row }) => row),
    ),
    ...(validations.length === 0 ? [] : ['The API server also validates:', validations.join('\n')]),
  ].join('\n\n');
}

/** Returns docs/reference/custom-resources.md, which `make generate` writes. */
export function customResourcesPage(): string {
  const sections = KINDS.map(sectionOf);
  const list = sections.map((section) => {
    const name = /^## (\w+)/.exec(section)?.[1] ?? '';
    return `- [${name}](#${name.toLowerCase()})`;
  });
  return `${[INTRODUCTION, list.join('\n'), ...sections].join('\n\n')}\n`;
}
