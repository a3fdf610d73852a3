import { cachedAnnotations } from '../annotation/cached-annotation-truncation.ts';
import { WELL_KNOWN } from '../annotation/well-known-names.ts';
import { pick } from '../base/pick.ts';
import { keptLabels, keptPorts } from '../clb/model/service-size-limits.ts';
import { hasFinalizer } from '../clb/model/provisioning-evidence.ts';
import { trimServiceStatus } from '../inventory/trimmed-service-status.ts';
import { groupBlockIn } from '../inventory/load-balancer-ready-condition.ts';
import type { ObjectMeta, Service, ServicePort } from '../base/kubernetes-objects.ts';
import { identityOf } from './trim-metadata.ts';

// The functions drop unread fields of Services. Dropped fields stay in the API server, because patches contain only fields of Portcullis.

/** Returns the finalizer of Portcullis, and drops the finalizers of other controllers. */
const finalizerOf = (object: Pick<Service, 'metadata'>): Pick<ObjectMeta, 'finalizers'> =>
  hasFinalizer(object) ? { finalizers: [WELL_KNOWN.finalizer.name] } : {};

const PORT_FIELDS = ['name', 'port', 'protocol', 'targetPort', 'nodePort'] as const;
const IS_PORT_FIELD: ReadonlySet<string> = new Set(PORT_FIELDS);

/** Returns a port without unused fields. Returns the same object if the port has none, which saves memory. */
const trimPort = (port: ServicePort): ServicePort =>
  Object.keys(port).every((key) => IS_PORT_FIELD.has(key)) ? port : pick(port, ...PORT_FIELDS);

type Spec = NonNullable<Service['spec']>;

/** The maximum number of kept selector labels, addresses and ranges, because readers only check whether any exist. */
const MOST_OTHERS = 8;
const firstOf = (texts: readonly string[] | undefined): readonly string[] => (texts ?? []).slice(0, MOST_OTHERS);

const trimSpec = (spec: Spec): Spec => ({
  ...pick(spec, 'type', 'loadBalancerClass', 'loadBalancerIP', 'externalTrafficPolicy', 'healthCheckNodePort'),
  ...pick(spec, 'ipFamilies', 'ipFamilyPolicy', 'sessionAffinity', 'allocateLoadBalancerNodePorts'),
  ...(spec.ports === undefined ? {} : { ports: keptPorts(spec.ports).map(trimPort) }),
  ...(spec.selector === undefined
    ? {}
    : { selector: Object.fromEntries(Object.entries(spec.selector).slice(0, MOST_OTHERS)) }),
  ...(spec.externalIPs === undefined ? {} : { externalIPs: firstOf(spec.externalIPs) }),
  ...(spec.loadBalancerSourceRanges === undefined
    ? {}
    : { loadBalancerSourceRanges: firstOf(spec.loadBalancerSourceRanges) }),
});

/** Trims a Service to the fields that the controller reads. Untrimmed caches would exceed the memory limit in large clusters. */
export function trimService(service: Service): Service {
  const { metadata, spec, status } = service;
  const { labels, annotations } = metadata;
  return {
    metadata: {
      ...identityOf(metadata),
      ...(labels === undefined ? {} : { labels: keptLabels(labels) }),
      ...finalizerOf(service),
      ...(annotations === undefined ? {} : { annotations: cachedAnnotations(annotations) }),
    },
    ...(spec === undefined ? {} : { spec: trimSpec(spec) }),
    ...(status === undefined ? {} : { status: trimServiceStatus(status) }),
  };
}

/** Returns the published addresses of a Service, and its condition about a blocked server group. */
function statusForRules(service: Service): NonNullable<Service['status']> {
  const { loadBalancer } = trimServiceStatus(service.status ?? {});
  const block = groupBlockIn(service);
  return {
    ...(loadBalancer === undefined
      ? {}
      : { loadBalancer: { ingress: (loadBalancer.ingress ?? []).map((each) => pick(each, 'ip')) } }),
    ...(block === undefined ? {} : { conditions: [{ ...block, message: '' }] }),
  };
}

/** Trims a Service to the fields that the rules of the webhook read of other Services. */
export function trimServiceForRules(service: Service): Service {
  const { metadata, spec } = service;
  const { annotations } = metadata;
  const status = statusForRules(service);
  return {
    metadata: {
      ...pick(metadata, 'name', 'namespace', 'uid', 'resourceVersion'),
      ...pick(metadata, 'creationTimestamp', 'deletionTimestamp'),
      ...finalizerOf(service),
      ...(annotations === undefined ? {} : { annotations: cachedAnnotations(annotations) }),
    },
    ...(spec === undefined
      ? {}
      : {
          spec: {
            ...pick(spec, 'type', 'loadBalancerClass'),
            ports: keptPorts(spec.ports ?? []).map((port) => pick(port, 'port', 'protocol')),
          },
        }),
    ...(Object.keys(status).length === 0 ? {} : { status }),
  };
}
