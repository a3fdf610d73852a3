import { NETWORK_TYPE } from '../../annotation/catalogue/controller-selection.ts';
import { parseAnnotations, type ParsedAnnotations } from '../../annotation/parse.ts';
import { hasFinalizer } from '../../clb/model/provisioning-evidence.ts';
import type { Node, Service } from '../../base/kubernetes-objects.ts';
import type { NodeSubject, Rule, ServiceSubject } from '../rule.ts';

const parsedOf = ({ metadata }: Service): ParsedAnnotations => parseAnnotations(metadata.annotations);

/** Returns the input of rules for a Service. `before` is the stored object, undefined on creation and for the stored object itself. */
export const serviceSubject = (object: Service, before?: Service): ServiceSubject => ({
  kind: 'Service',
  operation: before === undefined ? 'CREATE' : 'UPDATE',
  object,
  parsed: parsedOf(object),
  ...(before === undefined ? {} : { before: { object: before, parsed: parsedOf(before) } }),
});

/** Returns the input of rules for the stored object, so that its violations can be compared. Returns undefined on creation. */
export const storedSubject = ({ before }: ServiceSubject): ServiceSubject | undefined =>
  before === undefined ? undefined : { kind: 'Service', operation: 'CREATE', ...before };

/** Returns the input of rules for a Node. */
export const nodeSubject = (object: Node, before?: Node, byCluster = false): NodeSubject => ({
  kind: 'Node',
  operation: before === undefined ? 'CREATE' : 'UPDATE',
  object,
  ...(before === undefined ? {} : { before: { object: before } }),
  ...(byCluster ? { byCluster } : {}),
});

const PREFIX = 'service.beta.kubernetes.io/';
/** The annotation that assigns a Service to another controller, with any value except the empty text. */
export const CLASS = `${PREFIX}class`;
/** The annotation that requests a network load balancer. It has this effect only behind a feature gate of the cluster. */
export const TYPE = `${PREFIX}alibaba-cloud-loadbalancer-type`;
/** The annotation that assigns a Service to another controller, even with an empty value. */
export const TUNNEL_TYPE = `${PREFIX}alibaba-cloud-loadbalancer-tunnel-type`;

/** A field that assigns a Service to another controller. */
export interface ControllerClaim {
  readonly field: string;
  readonly value: string;
}

/** Returns whether a class, the type `nlb` or a tunnel assigns the Service to another controller. */
export function isManagedByOtherController(service: Service): boolean {
  const { metadata, spec } = service;
  const annotations = metadata.annotations ?? {};
  return (
    (spec?.loadBalancerClass ?? '') !== '' ||
    (annotations[CLASS] ?? '') !== '' ||
    annotations[TUNNEL_TYPE] !== undefined ||
    // A Service with the finalizer already has a classic load balancer.
    (annotations[TYPE] === NETWORK_TYPE && !hasFinalizer(service))
  );
}

/** Returns the fields and annotations that can assign a Service to another controller, with their values. */
export function controllerSelectors({ metadata, spec }: Service): readonly ControllerClaim[] {
  const annotations = metadata.annotations ?? {};
  const { loadBalancerClass = '' } = spec ?? {};
  return [
    ...(loadBalancerClass === '' ? [] : [{ field: 'spec.loadBalancerClass', value: loadBalancerClass }]),
    ...[CLASS, TYPE, TUNNEL_TYPE].flatMap((key) => {
      const value = annotations[key];
      if (value === undefined || (value === '' && key !== TUNNEL_TYPE)) return [];
      if (key === TYPE && value !== NETWORK_TYPE) return [];
      // A tunnel key without a value assigns the Service too.
      return [{ field: `metadata.annotations[${key}]`, value: value === '' ? key : value }];
    }),
  ];
}

/** Returns whether the Service requests a Classic Load Balancer from this controller. Portcullis manages only such Services. */
export const wantsLoadBalancer = (service: Service): boolean =>
  service.spec?.type === 'LoadBalancer' && !isManagedByOtherController(service);

/** Returns whether the Service newly requests a load balancer. Rules treat all fields of such a Service as new. */
export const becomesManaged = (object: Service, stored: Service | undefined): boolean =>
  wantsLoadBalancer(object) && (stored === undefined || !wantsLoadBalancer(stored));

interface Named {
  readonly kind: { readonly kind: string };
  readonly namespace: string;
  readonly name: string;
  readonly object?: unknown;
}

/** Returns the name of an object for messages, such as `Service shop/web`. Uses the prefix `generateName` if the name does not exist yet. */
export function nameOf({ kind, namespace, name, object }: Named): string {
  const metadata = (object as { readonly metadata?: { readonly generateName?: unknown } } | null | undefined)?.metadata;
  const generated = typeof metadata?.generateName === 'string' ? `${metadata.generateName}*` : '(unnamed)';
  const own = name === '' ? generated : name;
  return `${kind.kind} ${namespace === '' ? own : `${namespace}/${own}`}`;
}

/** Returns the rules that check a Service. */
export function rulesAbout(object: Service, stored: Service | undefined, rules: readonly Rule[]): readonly Rule[] {
  if (wantsLoadBalancer(object)) return rules;
  const isCleaningUp = stored !== undefined && (wantsLoadBalancer(stored) || hasFinalizer(stored));
  return object.spec?.type === 'LoadBalancer' || isCleaningUp
    ? rules.filter(({ checksOtherServices }) => checksOtherServices === true)
    : [];
}
