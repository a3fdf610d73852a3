import { NETWORK_TYPE } from '../../annotation/catalogue/selection.ts';
import { parseAnnotations, type Parsed } from '../../annotation/parse.ts';
import { hasFinalizer, isPublished } from '../../clb/model/service-status.ts';
import type { Node, Service } from '../../base/objects.ts';
import type { NodeSubject, Rule, ServiceSubject } from '../rule.ts';

const parsedOf = ({ metadata }: Service): Parsed => parseAnnotations(metadata.annotations);

/** A Service as rules see it; `before` is what is stored, absent on creation and when the stored object itself is judged. */
export const serviceSubject = (object: Service, before?: Service): ServiceSubject => ({
  kind: 'Service',
  operation: before === undefined ? 'CREATE' : 'UPDATE',
  object,
  parsed: parsedOf(object),
  ...(before === undefined ? {} : { before: { object: before, parsed: parsedOf(before) } }),
});

/** What is stored, to be judged by itself; absent on creation. */
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
/** Say that another controller serves the Service: any text in the first two, the mere presence of the third. */
export const CLASS = `${PREFIX}class`;
/** Asks for a network load balancer, where the controller of those heeds it. */
export const TYPE = `${PREFIX}alibaba-cloud-loadbalancer-type`;
export const TUNNEL_TYPE = `${PREFIX}alibaba-cloud-loadbalancer-tunnel-type`;

/** What hands a Service to another controller. */
export interface Claim {
  readonly field: string;
  readonly value: string;
}

/**
 * Returns whether a class, the type `nlb` or a tunnel assigns the Service to another controller. The type does not if the Service has our
 * finalizer: the existing controller reads it only behind a feature gate, and otherwise serves such a Service.
 */
export function isClaimedByOthers(service: Service): boolean {
  const { metadata, spec } = service;
  const annotations = metadata.annotations ?? {};
  return (
    (spec?.loadBalancerClass ?? '') !== '' ||
    (annotations[CLASS] ?? '') !== '' ||
    annotations[TUNNEL_TYPE] !== undefined ||
    (annotations[TYPE] === NETWORK_TYPE && !hasFinalizer(service))
  );
}

/** Each class, type or tunnel that is there. */
export function claimsOf({ metadata, spec }: Service): readonly Claim[] {
  const annotations = metadata.annotations ?? {};
  const { loadBalancerClass = '' } = spec ?? {};
  return [
    ...(loadBalancerClass === '' ? [] : [{ field: 'spec.loadBalancerClass', value: loadBalancerClass }]),
    ...[CLASS, TYPE, TUNNEL_TYPE].flatMap((key) => {
      const value = annotations[key];
      if (value === undefined || (value === '' && key !== TUNNEL_TYPE)) return [];
      if (key === TYPE && value !== NETWORK_TYPE) return [];
      // The key alone is a claim too.
      return [{ field: `metadata.annotations[${key}]`, value: value === '' ? key : value }];
    }),
  ];
}

/** Whether the Service is to have a Classic Load Balancer, and so is ours to judge. */
export const wantsLoadBalancer = (service: Service): boolean =>
  service.spec?.type === 'LoadBalancer' && !isClaimedByOthers(service);

/** Whether the Service is ours from now on and was not, be it new or another's before: then all that it says is new. */
export const becomesOurs = (object: Service, stored: Service | undefined): boolean =>
  wantsLoadBalancer(object) && (stored === undefined || !wantsLoadBalancer(stored));

interface Named {
  readonly kind: { readonly kind: string };
  readonly namespace: string;
  readonly name: string;
  readonly object?: unknown;
}

/** `Service shop/web` or `Node n1`. One whose name is yet to be generated is called by its prefix. */
export function nameOf({ kind, namespace, name, object }: Named): string {
  const metadata = (object as { readonly metadata?: { readonly generateName?: unknown } } | null | undefined)?.metadata;
  const generated = typeof metadata?.generateName === 'string' ? `${metadata.generateName}*` : '(unnamed)';
  const own = name === '' ? generated : name;
  return `${kind.kind} ${namespace === '' ? own : `${namespace}/${own}`}`;
}

/** Whether a stored Service is served by a load balancer of ours. */
export const wasServed = (stored: Service): boolean => isPublished(stored) && wantsLoadBalancer(stored);

/**
 * The rules that have a say about a Service: all if it wants a load balancer of ours; those about others' if it wants one of theirs, is
 * about to give one of ours up, or has given it up and is not cleaned up yet; else none.
 */
export function rulesAbout(object: Service, stored: Service | undefined, rules: readonly Rule[]): readonly Rule[] {
  if (wantsLoadBalancer(object)) return rules;
  const isLeaving = stored !== undefined && (wantsLoadBalancer(stored) || hasFinalizer(stored));
  return object.spec?.type === 'LoadBalancer' || isLeaving
    ? rules.filter(({ judgesOthers }) => judgesOthers === true)
    : [];
}
