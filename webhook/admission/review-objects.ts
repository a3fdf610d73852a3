import { PortcullisError } from '../../src/base/errors.ts';
import type { Node, Service } from '../../src/base/kubernetes-objects.ts';
import type { AdmissionRequest } from './admission-review.ts';

/** A function that removes members of a wrong type from a value. Returns false if the value itself has a wrong type. */
type Reader = (value: unknown) => boolean;

/** The members of an object by name. Readers name each member, because a loop is several times slower. */
type Members<Name extends string> = Readonly<Partial<Record<Name, unknown>>>;

const text: Reader = (value) => typeof value === 'string';
const number: Reader = (value) => typeof value === 'number';
const boolean: Reader = (value) => typeof value === 'boolean';
const numberOrText: Reader = (value) => typeof value === 'number' || typeof value === 'string';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Removes a member unless its value has the type that `reader` checks. */
function removeUnless(of: object, name: string, value: unknown, reader: Reader): void {
  if (value !== undefined && !reader(value)) Reflect.deleteProperty(of, name);
}

const objectOf =
  <Name extends string>(readMembers: (members: Members<Name>) => void): Reader =>
  (value) => {
    if (!isObject(value)) return false;
    readMembers(value as Members<Name>);
    return true;
  };

const texts: Reader = (value) => {
  if (!isObject(value)) return false;
  for (const key in value) removeUnless(value, key, value[key], text);
  return true;
};

/** Returns the reader of a list. The reader removes entries of a wrong type. */
const listOf =
  (reader: Reader): Reader =>
  (value) => {
    if (!Array.isArray(value)) return false;
    let kept = 0;
    for (let index = 0; index < value.length; index++) {
      const entry: unknown = value[index];
      if (!reader(entry)) continue;
      if (kept < index) value[kept] = entry;
      kept++;
    }
    if (kept < value.length) value.length = kept;
    return true;
  };

/** Returns the reader of a list. The reader replaces entries of a wrong type by `{}`, because JSON patches address entries by index. */
const listInPlaceOf =
  (reader: Reader): Reader =>
  (value) => {
    if (!Array.isArray(value)) return false;
    for (let index = 0; index < value.length; index++) if (!reader(value[index])) value[index] = {};
    return true;
  };

const listOfTexts = listOf(text);
const managed = objectOf((of: Members<'manager' | 'operation' | 'subresource' | 'time' | 'fieldsV1'>) => {
  removeUnless(of, 'manager', of.manager, text);
  removeUnless(of, 'operation', of.operation, text);
  removeUnless(of, 'subresource', of.subresource, text);
  removeUnless(of, 'time', of.time, text);
  removeUnless(of, 'fieldsV1', of.fieldsV1, isObject);
});
const listOfManaged = listInPlaceOf(managed);
type MetadataField =
  | 'name'
  | 'generateName'
  | 'namespace'
  | 'uid'
  | 'deletionTimestamp'
  | 'annotations'
  | 'labels'
  | 'finalizers'
  | 'managedFields';
const metadata = objectOf((of: Members<MetadataField>) => {
  removeUnless(of, 'name', of.name, text);
  removeUnless(of, 'generateName', of.generateName, text);
  removeUnless(of, 'namespace', of.namespace, text);
  removeUnless(of, 'uid', of.uid, text);
  removeUnless(of, 'deletionTimestamp', of.deletionTimestamp, text);
  removeUnless(of, 'annotations', of.annotations, texts);
  removeUnless(of, 'labels', of.labels, texts);
  removeUnless(of, 'finalizers', of.finalizers, listOfTexts);
  removeUnless(of, 'managedFields', of.managedFields, listOfManaged);
});

const portMembers = objectOf((of: Members<'name' | 'protocol' | 'targetPort' | 'nodePort'>) => {
  removeUnless(of, 'name', of.name, text);
  removeUnless(of, 'protocol', of.protocol, text);
  removeUnless(of, 'targetPort', of.targetPort, numberOrText);
  removeUnless(of, 'nodePort', of.nodePort, number);
});
/** Reads a port. Treats a port without a number as a value of a wrong type. */
const port: Reader = (value) => portMembers(value) && number((value as Members<'port'>).port);
const listOfPorts = listOf(port);

type SpecField =
  | 'type'
  | 'loadBalancerClass'
  | 'allocateLoadBalancerNodePorts'
  | 'ports'
  | 'externalTrafficPolicy'
  | 'sessionAffinity'
  | 'ipFamilyPolicy'
  | 'ipFamilies'
  | 'loadBalancerIP'
  | 'loadBalancerSourceRanges'
  | 'externalIPs'
  | 'healthCheckNodePort';
const spec = objectOf((of: Members<SpecField>) => {
  removeUnless(of, 'type', of.type, text);
  removeUnless(of, 'loadBalancerClass', of.loadBalancerClass, text);
  removeUnless(of, 'allocateLoadBalancerNodePorts', of.allocateLoadBalancerNodePorts, boolean);
  removeUnless(of, 'ports', of.ports, listOfPorts);
  removeUnless(of, 'externalTrafficPolicy', of.externalTrafficPolicy, text);
  removeUnless(of, 'sessionAffinity', of.sessionAffinity, text);
  removeUnless(of, 'ipFamilyPolicy', of.ipFamilyPolicy, text);
  removeUnless(of, 'ipFamilies', of.ipFamilies, listOfTexts);
  removeUnless(of, 'loadBalancerIP', of.loadBalancerIP, text);
  removeUnless(of, 'loadBalancerSourceRanges', of.loadBalancerSourceRanges, listOfTexts);
  removeUnless(of, 'externalIPs', of.externalIPs, listOfTexts);
  removeUnless(of, 'healthCheckNodePort', of.healthCheckNodePort, number);
});
const ingress = objectOf((of: Members<'ip' | 'hostname'>) => {
  removeUnless(of, 'ip', of.ip, text);
  removeUnless(of, 'hostname', of.hostname, text);
});
const listOfIngress = listOf(ingress);
const balancer = objectOf((of: Members<'ingress'>) => removeUnless(of, 'ingress', of.ingress, listOfIngress));
const status = objectOf((of: Members<'loadBalancer'>) => removeUnless(of, 'loadBalancer', of.loadBalancer, balancer));

const nodeSpec = objectOf((of: Members<'providerID' | 'podCIDR' | 'podCIDRs'>) => {
  removeUnless(of, 'providerID', of.providerID, text);
  removeUnless(of, 'podCIDR', of.podCIDR, text);
  removeUnless(of, 'podCIDRs', of.podCIDRs, listOfTexts);
});

/** Returns an object of the review. Throws `Invalid` if the review lacks the object. */
function objectIn(value: unknown, kind: string): Record<'metadata' | 'spec' | 'status', unknown> {
  if (!isObject(value)) throw new PortcullisError('Invalid', `the review has no ${kind}`);
  const object = value as Record<'metadata' | 'spec' | 'status', unknown>;
  if (!metadata(object.metadata)) object.metadata = {};
  return object;
}

/** Reads a Service and removes members of a wrong type, because an error would admit the Service unchecked under `failurePolicy: Ignore`. */
export function serviceIn(value: unknown): Service {
  const object = objectIn(value, 'Service');
  removeUnless(object, 'spec', object.spec, spec);
  removeUnless(object, 'status', object.status, status);
  return object as unknown as Service;
}

/** Reads a Node and removes members of a wrong type. */
export function nodeIn(value: unknown): Node {
  const object = objectIn(value, 'Node');
  removeUnless(object, 'spec', object.spec, nodeSpec);
  return object as unknown as Node;
}

/** Returns the stored object of an update. Returns undefined for any other operation, and for a review without `oldObject`. */
export const storedIn = <Kind>(
  { operation, oldObject }: AdmissionRequest,
  read: (value: unknown) => Kind,
): Kind | undefined => (operation === 'UPDATE' && isObject(oldObject) ? read(oldObject) : undefined);
