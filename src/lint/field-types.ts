import { z } from 'zod';
import type { Violation } from '../rules/rule.ts';
import { pathOf } from './field-path.ts';
import type { Manifest } from './manifest.ts';

const text = z.string().nullish();
const number = z.int().nullish();
/** A map of texts. Each invalid value is a separate issue. */
const texts = z.record(z.string(), z.string().nullable()).nullish();

const Metadata = z.looseObject({
  name: text,
  generateName: text,
  namespace: text,
  labels: texts,
  annotations: texts,
  finalizers: z.array(z.string()).nullish(),
});
const Port = z.looseObject({
  name: text,
  protocol: text,
  port: z.int(),
  targetPort: z.union([z.int(), z.string()]).nullish(),
  nodePort: number,
});
const SHAPES: Readonly<Record<string, z.ZodType>> = {
  Service: z.looseObject({
    metadata: Metadata,
    spec: z
      .looseObject({
        type: text,
        loadBalancerClass: text,
        loadBalancerIP: text,
        externalTrafficPolicy: text,
        sessionAffinity: text,
        ipFamilyPolicy: text,
        ipFamilies: z.array(z.string()).nullish(),
        loadBalancerSourceRanges: z.array(z.string()).nullish(),
        externalIPs: z.array(z.string()).nullish(),
        healthCheckNodePort: number,
        allocateLoadBalancerNodePorts: z.boolean().nullish(),
        ports: z.array(Port).nullish(),
      })
      .nullish(),
    status: z
      .looseObject({
        loadBalancer: z
          .looseObject({ ingress: z.array(z.looseObject({ ip: text, hostname: text })).nullish() })
          .nullish(),
      })
      .nullish(),
  }),
  Node: z.looseObject({
    metadata: Metadata,
    spec: z.looseObject({ providerID: text, podCIDR: text, podCIDRs: z.array(z.string()).nullish() }).nullish(),
  }),
};

/** The type errors of a manifest, and its object. The object is undefined if the errors prevent rules from reading it. */
export interface Shaped {
  readonly violations: readonly Violation[];
  readonly object: unknown;
}

/** The detail and the remedy of a type error, by expected type. */
const TYPES: Readonly<Record<string, readonly [detail: string, remedy: string]>> = {
  string: ['must be a string', 'quote the value'],
  int: ['must be a whole number', 'remove the fraction'],
  number: ['must be a whole number', 'remove the quotation marks'],
  boolean: ['must be true or false', 'remove the quotation marks'],
  array: ['must be a list', 'start each item with "- "'],
  object: ['must be a map', 'write each field on a line of its own'],
  record: ['must be a map of strings', 'write each key on a line of its own'],
};
const EITHER = ['must be a whole number or a string', undefined] as const;

/** Returns the detail of a type error, such as `must be a string`. */
export const typeDetail = (issue: z.core.$ZodIssue): string => expectedBy(issue)[0];

const expectedBy = (issue: z.core.$ZodIssue): readonly [string, string | undefined] =>
  (issue.code === 'invalid_type' ? TYPES[issue.expected] : undefined) ?? EITHER;

function shapeErrorOf(issue: z.core.$ZodIssue, manifest: Manifest): Violation {
  const field = pathOf(issue.path);
  const [detail, remedy] = expectedBy(issue);
  const value = foundAt(issue.path, manifest);
  return { field, reason: 'Invalid', value, detail, ...(remedy === undefined ? {} : { remedy }) };
}

/** Returns the value as the user wrote it, or the type of a map or a list. */
function foundAt(path: readonly PropertyKey[], { source, object }: Manifest): string {
  const written = source(pathOf(path));
  if (written !== undefined) return written;
  const value = path.reduce<unknown>((at, step) => (isFields(at) ? Reflect.get(at, step) : undefined), object);
  return value === undefined || value === null
    ? ''
    : Array.isArray(value)
      ? 'array'
      : isFields(value)
        ? 'object'
        : JSON.stringify(value);
}

const isFields = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isMapOfTexts = ([first, second]: readonly PropertyKey[]): boolean =>
  first === 'metadata' && (second === 'annotations' || second === 'labels');

/** Checks the types of fields. Scalars in annotations and labels become texts, so that rules can still read the object. */
export function shaped(manifest: Manifest): Shaped {
  const result = SHAPES[manifest.kind]?.safeParse(manifest.object);
  const issues = result?.error?.issues ?? [];
  const violations = issues.map((issue) => shapeErrorOf(issue, manifest));
  const canBeRead = issues.every(({ path }) => isMapOfTexts(path) && path.length === 3);
  return { violations, object: canBeRead ? withTexts(manifest) : undefined };
}

/** Returns the manifest with its annotations and labels as texts. A null value counts as empty. */
function withTexts({ object, source }: Manifest): unknown {
  const { metadata } = object as { readonly metadata: Readonly<Record<string, unknown>> };
  const textsOf = (map: 'annotations' | 'labels'): Readonly<Record<string, Readonly<Record<string, string>>>> => {
    const manifestValues = metadata[map];
    if (!isFields(manifestValues)) return {};
    const entries = Object.entries(manifestValues).flatMap(([key, value]: [string, unknown]) => {
      if (typeof value === 'string') return [[key, value] as const];
      if (value === null) return [[key, ''] as const];
      const written = source(pathOf(['metadata', map, key]));
      return written === undefined ? [] : [[key, written] as const];
    });
    return { [map]: Object.fromEntries(entries) };
  };
  return { ...(object as object), metadata: { ...metadata, ...textsOf('annotations'), ...textsOf('labels') } };
}
