/** The kind of a mark: the object that carries the mark, and the field. */
export type MarkKind =
  'service-label' | 'finalizer' | 'node-label' | 'node-taint' | 'provider-id' | 'cloud-tag' | 'pod-condition';

/** A label, taint, tag, finalizer or condition that the controller reads or writes. `explain` and the reference page show the marks. */
export interface Mark {
  /** The full name. `*` stands for any suffix. */
  readonly name: string;
  readonly kind: MarkKind;
  /** The values, in words. */
  readonly value: string;
  readonly writer: 'controller' | 'user' | 'cluster' | 'cloud';
  readonly doc: string;
  /** The first release of the Alibaba Cloud Controller Manager with the mark, or its date. Undefined if that controller has no such mark. */
  readonly since?: string;
  /** The name that should be used instead. */
  readonly replacedBy?: string;
}

const SERVICE = {
  hash: {
    name: 'service.beta.kubernetes.io/hash',
    kind: 'service-label',
    value: '56 hexadecimal digits',
    writer: 'controller',
    doc: 'The hash that the Alibaba Cloud Controller Manager compares. Portcullis writes the hash, so that the other controller can take over again.',
    since: '2020-12',
  },
  loadBalancerId: {
    name: 'service.k8s.alibaba/loadbalancer-id',
    kind: 'service-label',
    value: 'the id of a load balancer',
    writer: 'controller',
    doc: 'The load balancer of the Service. Removed with the load balancer.',
    since: '2021',
  },
  finalizer: {
    name: 'service.k8s.alibaba/resources',
    kind: 'finalizer',
    value: 'none',
    writer: 'controller',
    doc: 'Keeps a deleted Service until cleanup is complete. Do not remove it: the load balancer can become an orphan.',
    since: '2020-08',
  },
  nlbFinalizer: {
    name: 'service.k8s.alibaba/nlb',
    kind: 'finalizer',
    value: 'none',
    writer: 'cluster',
    doc: 'The finalizer of the controller of network load balancers. Portcullis does not change this finalizer.',
  },
} as const satisfies Readonly<Record<string, Mark>>;

const ofInstance = <const Name extends string>(name: Name, value: string) =>
  ({
    name,
    kind: 'node-label',
    value,
    writer: 'controller',
    doc: 'An attribute of the instance of the Node. The controller reverts changes.',
  }) as const;

const NODE = {
  instanceType: ofInstance('node.kubernetes.io/instance-type', 'the type of the instance'),
  instanceTypeBeta: ofInstance('beta.kubernetes.io/instance-type', 'the type of the instance'),
  zone: ofInstance('topology.kubernetes.io/zone', 'the id of a zone'),
  zoneBeta: ofInstance('failure-domain.beta.kubernetes.io/zone', 'the id of a zone'),
  region: ofInstance('topology.kubernetes.io/region', 'the id of a region'),
  regionBeta: ofInstance('failure-domain.beta.kubernetes.io/region', 'the id of a region'),
  chargeType: ofInstance('node.alibabacloud.com/instance-charge-type', 'PrePaid or PostPaid'),
  spotStrategy: ofInstance('node.alibabacloud.com/spot-strategy', 'NoSpot, SpotWithPriceLimit or SpotAsPriceGo'),
  nodePool: ofInstance('node.alibabacloud.com/nodepool-id', 'the id of a node pool'),
  excludeNode: {
    name: 'service.alibabacloud.com/exclude-node',
    kind: 'node-label',
    value: 'any, even false',
    writer: 'user',
    doc: 'Excludes the Node. The controller initializes the Node once, and then neither updates nor deletes the Node. The Node is no backend and gets no route.',
    since: '2021-03',
  },
  excludeNodeOld: {
    name: 'service.beta.kubernetes.io/exclude-node',
    kind: 'node-label',
    value: 'any, even false',
    writer: 'user',
    doc: 'Has the same effect as the current label. The webhook adds the current label and keeps this label, because selectors may use it.',
    since: '2019-11',
    replacedBy: 'service.alibabacloud.com/exclude-node',
  },
  excludeBackend: {
    name: 'node.kubernetes.io/exclude-from-external-load-balancers',
    kind: 'node-label',
    value: 'any, even false',
    writer: 'user',
    doc: 'The Node is no backend. The controller manages everything else of the Node.',
    since: '2023-02',
  },
  excludeBackendOld: {
    name: 'alpha.service-controller.kubernetes.io/exclude-balancer',
    kind: 'node-label',
    value: 'any, even false',
    writer: 'user',
    doc: 'Has the same effect as the current label.',
    replacedBy: 'node.kubernetes.io/exclude-from-external-load-balancers',
  },
  master: {
    name: 'node-role.kubernetes.io/master',
    kind: 'node-label',
    value: 'any',
    writer: 'cluster',
    doc: 'The Node is never a backend. `node-role.kubernetes.io/control-plane` does not have this effect.',
  },
  virtual: {
    name: 'type',
    kind: 'node-label',
    value: 'virtual-kubelet',
    writer: 'cluster',
    doc: 'Identifies a virtual node. Its readiness has no effect, and its pods are backends by their network interfaces.',
    since: '2020-03',
  },
  autoscaler: {
    name: 'ToBeDeletedByClusterAutoscaler',
    kind: 'node-taint',
    value: 'any, with any effect',
    writer: 'cluster',
    doc: 'The cluster autoscaler is about to delete the Node. The Node is no longer a backend.',
  },
  uninitialized: {
    name: 'node.cloudprovider.kubernetes.io/uninitialized',
    kind: 'node-taint',
    value: 'true, NoSchedule',
    writer: 'cluster',
    doc: 'The Node is not initialized. The controller removes the taint after it has set addresses, labels and the provider id.',
  },
  hybrid: {
    name: 'ack-hybrid://*',
    kind: 'provider-id',
    value: 'a prefix of spec.providerID',
    writer: 'cluster',
    doc: 'Identifies a Node outside the cloud, which is treated like a Node with the exclude label.',
    since: '2025-08',
  },
} as const satisfies Readonly<Record<string, Mark>>;

const CLOUD_AND_PODS = {
  owner: {
    name: 'kubernetes.do.not.delete',
    kind: 'cloud-tag',
    value: 'the default name of the load balancer: `a` and the UID of its Service',
    writer: 'controller',
    doc: 'Identifies an owned load balancer and its Service. A load balancer with this tag cannot be reused.',
  },
  cluster: {
    name: 'ack.aliyun.com',
    kind: 'cloud-tag',
    value: 'the id of a cluster',
    writer: 'controller',
    doc: 'The cluster of the load balancer. Without `kubernetes.do.not.delete`, the load balancer serves an API server. A load balancer with this tag cannot be reused.',
    since: '2020-08',
  },
  reused: {
    name: 'kubernetes.reused.by.user',
    kind: 'cloud-tag',
    value: 'true',
    writer: 'controller',
    doc: 'Identifies a load balancer that a Service reuses. The tag stays after the Service is deleted. A load balancer with ten or more tags does not get this tag.',
    since: '2021-03',
  },
  system: {
    name: 'acs:*',
    kind: 'cloud-tag',
    value: 'any',
    writer: 'cloud',
    doc: 'Tags of the cloud. The controller never changes them.',
  },
  readiness: {
    name: 'service.readiness.alibabacloud.com/*',
    kind: 'pod-condition',
    value: 'True (ServerRegistered) or False (ServerInvalidServer); the suffix is the name of the Service',
    writer: 'controller',
    doc: 'True if the pod is a backend of the Service. Set only on pods with this readiness gate.',
  },
} as const satisfies Readonly<Record<string, Mark>>;

/** All marks, by a short name. Code that reads or writes a mark takes the name from here. */
export const WELL_KNOWN = { ...SERVICE, ...NODE, ...CLOUD_AND_PODS } as const;

/** The headings of the kinds, for the reference page and `explain`. */
export const MARK_KINDS = {
  'service-label': 'Labels of a Service',
  finalizer: 'Finalizers of a Service',
  'node-label': 'Labels of a Node',
  'node-taint': 'Taints of a Node',
  'provider-id': 'Provider ids of a Node',
  'cloud-tag': 'Tags of a load balancer',
  'pod-condition': 'Conditions of a Pod',
} as const satisfies Record<MarkKind, string>;

export const wellKnownOfKind = (kind: MarkKind): readonly Mark[] =>
  Object.values<Mark>(WELL_KNOWN).filter((candidate) => candidate.kind === kind);
