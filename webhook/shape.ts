import { PortcullisError } from '../src/errors.ts';
import type { Node, Service } from '../src/objects.ts';

/** Answers the path of what has the wrong type, empty for the value itself; nothing when all is well. */
type Shape = (value: unknown) => string | undefined;

const typeOf =
  (...types: readonly string[]): Shape =>
  (value) =>
    types.includes(typeof value) ? undefined : '';

/** Absent, and not null: of what is read here, the API server leaves out what is not there. */
const optional =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined ? undefined : shape(value);

const under = (key: string | number, path: string): string => `.${key}${path}`;

const fields = (shapes: Readonly<Record<string, Shape>>): Shape => {
  const entries = Object.entries(shapes);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
    for (const [key, shape] of entries) {
      const path = shape((value as Readonly<Record<string, unknown>>)[key]);
      if (path !== undefined) return under(key, path);
    }
    return undefined;
  };
};

const listOf =
  (shape: Shape): Shape =>
  (value) => {
    if (!Array.isArray(value)) return '';
    for (let index = 0; index < value.length; index++) {
      const path = shape(value[index]);
      if (path !== undefined) return under(index, path);
    }
    return undefined;
  };

/** A map of texts, in a plain loop: it has dozens of keys, and this runs for every request. */
const texts: Shape = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  for (const key in value) {
    if (typeof (value as Readonly<Record<string, unknown>>)[key] !== 'string') return `[${JSON.stringify(key)}]`;
  }
  return undefined;
};

const text = typeOf('string');
const number = typeOf('number');

const METADATA = fields({
  name: optional(text),
  namespace: optional(text),
  annotations: optional(texts),
  labels: optional(texts),
  finalizers: optional(listOf(text)),
  managedFields: optional(listOf(fields({ manager: optional(text), operation: optional(text), time: optional(text) }))),
});
const PORT = fields({
  name: optional(text),
  protocol: optional(text),
  port: number,
  targetPort: optional(typeOf('number', 'string')),
  nodePort: optional(number),
});
const INGRESS = fields({ ip: optional(text), hostname: optional(text) });

const SPEC = fields({
  type: optional(text),
  loadBalancerClass: optional(text),
  ports: optional(listOf(PORT)),
  externalTrafficPolicy: optional(text),
  sessionAffinity: optional(text),
  ipFamilyPolicy: optional(text),
  ipFamilies: optional(listOf(text)),
  loadBalancerIP: optional(text),
  loadBalancerSourceRanges: optional(listOf(text)),
  externalIPs: optional(listOf(text)),
  healthCheckNodePort: optional(number),
});

const SERVICE = fields({
  metadata: METADATA,
  spec: optional(SPEC),
  status: optional(fields({ loadBalancer: optional(fields({ ingress: optional(listOf(INGRESS)) })) })),
});
const NODE = fields({
  metadata: METADATA,
  spec: optional(fields({ providerID: optional(text), podCIDR: optional(text), podCIDRs: optional(listOf(text)) })),
});

function checked(shape: Shape, object: unknown, name: string): void {
  const path = shape(object);
  if (path === undefined) return;
  throw new PortcullisError(
    'InvalidObject',
    `the ${name} in the review is none: ${path === '' ? 'it' : path.slice(1)} has the wrong type`,
  );
}

/**
 * The Service in a request, itself and not a copy, once everything that is read of it has the type that the API server gives it.
 * Throws `InvalidObject` otherwise.
 */
export function serviceIn(object: unknown): Service {
  checked(SERVICE, object, 'Service');
  return object as Service;
}

/** The Node in a request; see `serviceIn`. */
export function nodeIn(object: unknown): Node {
  checked(NODE, object, 'Node');
  return object as Node;
}
