import { NETWORK_TYPE } from '../../annotation/catalogue/selection.ts';
import { parseAnnotations, type ParsedAnnotations } from '../../annotation/parse.ts';
import { hasFinalizer, isPublished } from '../../clb/model/service-status.ts';
import type { Node, Service } from '../../base/objects.ts';
import type { NodeSubject, Rule, ServiceSubject } from '../rule.ts';

const parsedOf = ({ metadata }: Service): ParsedAnnotations => parseAnnotations(metadata.annotations);

/** Returns a Service as rules see it. `before` is the stored object; undefined on creation and when rules evaluate the stored object itself. */
export const serviceSubject = (object: Service, before?: Service): ServiceSubject => ({
  kind: 'Service',
  operation: before === undefined ? 'CREATE' : 'UPDATE',
  object,
  parsed: parsedOf(object),
  ...(before === undefined ? {} : { before: { object: before, parsed: parsedOf(before) } }),
});

/** Returns the stored object as a subject of its own; undefined on creation. */
export const storedSubject = ({ before }: ServiceSubject): ServiceSubject | undefined =>
  before === undefined ? undefined : { kind: 'Service', operation: 'CREATE', ...before };

export const nodeSubject = (object: Node, before?: Node, byCluster = false): NodeSubject => ({
  kind: 'Node',
  operation: before === undefined ? 'CREATE' : 'UPDATE',
  object,
  ...(before === undefined ? {} : { before: { object: before } }),
  ...(byCluster ? { byCluster } : {}),
});

const PREFIX = 'service.beta.kubernetes.io/';
/** The annotation that assigns a Service to another controller by any value that is not empty. */
export const CLASS = `${PREFIX}class`;
/** The annotation that requests a network load balancer, if the controller of network load balancers supports it. */
export const TYPE = `${PREFIX}alibaba-cloud-loadbalancer-type`;
/** The annotation that assigns a Service to another controller by its presence. */
export const TUNNEL_TYPE = `${PREFIX}alibaba-cloud-loadbalancer-tunnel-type`;

/** A field that assigns a Service to another controller. */
export interface ControllerClaim {
  readonly field: string;
  readonly value: string;
}

/**
 * Returns whether a class, the type `nlb` or a tunnel assigns the Service to another controller. The type does not if the Service has our
 * finalizer: the existing controller reads it only behind a feature gate, and otherwise serves such a Service.
 */
export function isManagedByOtherController(service: Service): boolean {
  const { metadata, spec } = service;
  const annotations = metadata.annotations ?? {};
  return (
    (spec?.loadBalancerClass ?? '') !== '' ||
    (annotations[CLASS] ?? '') !== '' ||
    annotations[TUNNEL_TYPE] !== undefined ||
    (annotations[TYPE] === NETWORK_TYPE && !hasFinalizer(service))
  );
}

/** Returns each class, type and tunnel that assigns the Service to another controller. */
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

/** Returns whether the Service wants a Classic Load Balancer of this controller. */
export const wantsLoadBalancer = (service: Service): boolean =>
  service.spec?.type === 'LoadBalancer' && !isManagedByOtherController(service);

/** Returns whether the Service becomes managed: it is new, or another controller served it. All its fields then count as new. */
export const becomesManaged = (object: Service, stored: Service | undefined): boolean =>
  wantsLoadBalancer(object) && (stored === undefined || !wantsLoadBalancer(stored));

interface Named {
  readonly kind: { readonly kind: string };
  readonly namespace: string;
  readonly name: string;
  readonly object?: unknown;
}

/** Returns a name: `Service shop/web` or `Node n1`. An object with `generateName` is named by that prefix. */
export function nameOf({ kind, namespace, name, object }: Named): string {
  const metadata = (object as { readonly metadata?: { readonly generateName?: unknown } } | null | undefined)?.metadata;
  const generated = typeof metadata?.generateName === 'string' ? `${metadata.generateName}*` : '(unnamed)';
  const own = name === '' ? generated : name;
  return `${kind.kind} ${namespace === '' ? own : `${namespace}/${own}`}`;
}

/** Returns whether a load balancer of this controller serves a stored Service. */
export const wasServed = (stored: Service): boolean => isPublished(stored) && wantsLoadBalancer(stored);

/**
 * Returns the rules for a Service: all if it wants a load balancer of this controller. Rules with `judgesOthers` cover Services of other controllers,
 * and Services that give up a load balancer or await its cleanup.
 */
export function rulesAbout(object: Service, stored: Service | undefined, rules: readonly Rule[]): readonly Rule[] {
  if (wantsLoadBalancer(object)) return rules;
  const isCleaningUp = stored !== undefined && (wantsLoadBalancer(stored) || hasFinalizer(stored));
  return object.spec?.type === 'LoadBalancer' || isCleaningUp
    ? rules.filter(({ judgesOthers }) => judgesOthers === true)
    : [];
}
