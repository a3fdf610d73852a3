import { PortcullisError } from '../src/errors.ts';
import type { Node, Service } from '../src/objects.ts';
import { quoted } from './rules/engine/text.ts';

/** Answers the path of what has the wrong type, empty for the value itself; nothing when all is well. */
type Shape = (value: unknown) => string | undefined;

/** What is looked at, by name: this runs for every request, and a loop over names would take several times as long. */
type Members<Name extends string> = Readonly<Partial<Record<Name, unknown>>>;

const text: Shape = (value) => (typeof value === 'string' ? undefined : '');
const number: Shape = (value) => (typeof value === 'number' ? undefined : '');
const numberOrText: Shape = (value) => (typeof value === 'number' ? undefined : text(value));

/** One member has the shape. */
const has = (name: string, value: unknown, shape: Shape): string | undefined => {
  const path = shape(value);
  return path === undefined ? undefined : `.${name}${path}`;
};

/** The same, or it is absent, and not null: of what is read here, the API server leaves out what is not there. */
const may = (name: string, value: unknown, shape: Shape): string | undefined =>
  value === undefined ? undefined : has(name, value, shape);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf =
  (shape: Shape): Shape =>
  (value) => {
    if (!Array.isArray(value)) return '';
    for (let index = 0; index < value.length; index++) {
      const path = shape(value[index]);
      if (path !== undefined) return `.${index}${path}`;
    }
    return undefined;
  };

const texts: Shape = (value) => {
  if (!isObject(value)) return '';
  for (const key in value) if (typeof value[key] !== 'string') return `[${quoted(key)}]`;
  return undefined;
};

const objectOf =
  <Name extends string>(shape: (members: Members<Name>) => string | undefined): Shape =>
  (value) =>
    isObject(value) ? shape(value as Members<Name>) : '';

const listOfTexts = listOf(text);
const managed = objectOf(
  ({ manager, operation, time }: Members<'manager' | 'operation' | 'time'>) =>
    may('manager', manager, text) ?? may('operation', operation, text) ?? may('time', time, text),
);
const listOfManaged = listOf(managed);
const metadata = objectOf(
  (meta: Members<'name' | 'namespace' | 'annotations' | 'labels' | 'finalizers' | 'managedFields'>) =>
    may('name', meta.name, text) ??
    may('namespace', meta.namespace, text) ??
    may('annotations', meta.annotations, texts) ??
    may('labels', meta.labels, texts) ??
    may('finalizers', meta.finalizers, listOfTexts) ??
    may('managedFields', meta.managedFields, listOfManaged),
);
const port = objectOf(
  (of: Members<'name' | 'protocol' | 'port' | 'targetPort' | 'nodePort'>) =>
    may('name', of.name, text) ??
    may('protocol', of.protocol, text) ??
    has('port', of.port, number) ??
    may('targetPort', of.targetPort, numberOrText) ??
    may('nodePort', of.nodePort, number),
);
const listOfPorts = listOf(port);

type SpecField =
  | 'type'
  | 'loadBalancerClass'
  | 'ports'
  | 'externalTrafficPolicy'
  | 'sessionAffinity'
  | 'ipFamilyPolicy'
  | 'ipFamilies'
  | 'loadBalancerIP'
  | 'loadBalancerSourceRanges'
  | 'externalIPs'
  | 'healthCheckNodePort';
const spec = objectOf(
  (of: Members<SpecField>) =>
    may('type', of.type, text) ??
    may('loadBalancerClass', of.loadBalancerClass, text) ??
    may('ports', of.ports, listOfPorts) ??
    may('externalTrafficPolicy', of.externalTrafficPolicy, text) ??
    may('sessionAffinity', of.sessionAffinity, text) ??
    may('ipFamilyPolicy', of.ipFamilyPolicy, text) ??
    may('ipFamilies', of.ipFamilies, listOfTexts) ??
    may('loadBalancerIP', of.loadBalancerIP, text) ??
    may('loadBalancerSourceRanges', of.loadBalancerSourceRanges, listOfTexts) ??
    may('externalIPs', of.externalIPs, listOfTexts) ??
    may('healthCheckNodePort', of.healthCheckNodePort, number),
);
const ingress = objectOf(
  ({ ip, hostname }: Members<'ip' | 'hostname'>) => may('ip', ip, text) ?? may('hostname', hostname, text),
);
const listOfIngress = listOf(ingress);
const balancer = objectOf((of: Members<'ingress'>) => may('ingress', of.ingress, listOfIngress));
const status = objectOf(({ loadBalancer }: Members<'loadBalancer'>) => may('loadBalancer', loadBalancer, balancer));
const service = objectOf(
  (of: Members<'metadata' | 'spec' | 'status'>) =>
    has('metadata', of.metadata, metadata) ?? may('spec', of.spec, spec) ?? may('status', of.status, status),
);

const nodeSpec = objectOf(
  (of: Members<'providerID' | 'podCIDR' | 'podCIDRs'>) =>
    may('providerID', of.providerID, text) ??
    may('podCIDR', of.podCIDR, text) ??
    may('podCIDRs', of.podCIDRs, listOfTexts),
);
const node = objectOf(
  (of: Members<'metadata' | 'spec'>) => has('metadata', of.metadata, metadata) ?? may('spec', of.spec, nodeSpec),
);

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
  checked(service, object, 'Service');
  return object as Service;
}

/** The Node in a request; see `serviceIn`. */
export function nodeIn(object: unknown): Node {
  checked(node, object, 'Node');
  return object as Node;
}
