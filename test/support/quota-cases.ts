import type { LoadBalancerPolicySpec, Quota } from '../../src/policy/custom-resources.ts';
import { ports } from './policy-controller.ts';
import { annotated, loadBalancers, type Running } from './running-controller.ts';
import type { ServiceInput } from './service.ts';

export const SHARED = {
  loadBalancers: [
    { id: 'lb-shared', name: 'shared', address: '47.1.1.1', addressType: 'internet' },
    { id: 'lb-two', name: 'two', address: '47.1.1.2', addressType: 'internet' },
  ],
};
export const USING = annotated({ id: 'lb-shared', 'force-override-listeners': 'true' });
export const BY_BANDWIDTH = annotated({ 'charge-type': 'paybybandwidth', bandwidth: '100' });
export const NO_SSH: LoadBalancerPolicySpec = {
  constraints: [{ name: 'c', require: [{ field: 'port', noneOf: ['22'] }] }],
};

export const quota = (limits: Partial<Quota>, rest: LoadBalancerPolicySpec = {}): LoadBalancerPolicySpec => ({
  quotas: [{ name: 'q', per: 'namespace', ...limits }],
  ...rest,
});
export const annotate = (annotations: Readonly<Record<string, string | null>>): object => ({
  metadata: { annotations: annotated(annotations) },
});
export const other = (numbers: readonly number[] = [90], annotations: Readonly<Record<string, string>> = {}) => ({
  ...{ name: 'api', uid: '00000000-0000-4000-8000-000000000002' },
  ...{ ports: numbers, annotations },
});
export const listenersOf = (run: Running): readonly number[] =>
  loadBalancers(run)
    .flatMap(({ listeners }) => listeners.map(({ port }) => port))
    .sort((left, right) => left - right);
export const usageOf = ({ cluster }: Running, name?: string) => cluster.binding(name)?.spec.admittedUsage;
/** A Service `web` that uses a whole quota, and patches after which it must still count. Another Service must then be denied. */
export interface Story {
  readonly spec: LoadBalancerPolicySpec;
  /** The Service `web`, which uses the whole quota. */
  readonly has: ServiceInput;
  /** The patches of `web` in sequence. */
  readonly patches: readonly object[];
  /** The other Service, which would exceed the quota. */
  readonly otherRequest: ServiceInput;
}

/** Stories by the state of `web` after the patches, as the end of a sentence. */
export const USED_UP: Readonly<Record<string, Story>> = {
  'no longer manages its listeners': {
    spec: quota({ listeners: 2 }),
    has: { ports: [80, 81], annotations: USING },
    patches: [annotate({ 'force-override-listeners': 'false' })],
    otherRequest: other([90, 91], USING),
  },
  'names a load balancer that does not exist': {
    spec: quota({ publicLoadBalancers: 1, listeners: 2 }),
    has: { ports: [80, 81] },
    patches: [annotate({ id: 'lb-nowhere' })],
    otherRequest: other(),
  },
  'names another load balancer, publishes a host name and lost its label': {
    spec: quota({ loadBalancers: 1 }),
    has: { annotations: annotated({ hostname: 'a.example.com' }) },
    patches: [{ metadata: { labels: { 'service.k8s.alibaba/loadbalancer-id': null } } }, annotate({ id: 'lb-shared' })],
    otherRequest: other(),
  },
  'has a forged label and names another load balancer': {
    spec: quota({ loadBalancers: 1 }),
    has: {},
    patches: [
      {
        metadata: {
          labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-shared' },
          annotations: annotated({ id: 'lb-shared' }),
        },
      },
    ],
    otherRequest: other(),
  },
  'lost its finalizer': {
    spec: quota({ loadBalancers: 1 }),
    has: {},
    patches: [{ metadata: { finalizers: [] } }],
    otherRequest: other(),
  },
  'has the address type intranet': {
    spec: quota({ publicLoadBalancers: 1 }),
    has: {},
    patches: [annotate({ 'address-type': 'intranet' })],
    otherRequest: other(),
  },
  'pays for bandwidth and names another load balancer': {
    spec: quota({ bandwidth: 100 }),
    has: { annotations: BY_BANDWIDTH },
    patches: [annotate({ id: 'lb-shared' })],
    otherRequest: other([90], BY_BANDWIDTH),
  },
  'pays for bandwidth and does not request it any more': {
    spec: quota({ bandwidth: 100 }),
    has: { annotations: BY_BANDWIDTH },
    patches: [annotate({ bandwidth: null })],
    otherRequest: other([90], BY_BANDWIDTH),
  },
  'has an invalid bandwidth': {
    spec: quota({ bandwidth: 100 }),
    has: { annotations: BY_BANDWIDTH },
    patches: [annotate({ bandwidth: 'x' })],
    otherRequest: other([90], BY_BANDWIDTH),
  },
  'keeps listeners with unknown backends': {
    spec: quota({ listeners: 3 }),
    has: { ports: [80, 81], annotations: USING },
    patches: [annotate({ 'vgroup-port': 'rsp-x:80' }), { spec: { ports: ports(80, 90) } }],
    otherRequest: other([91, 92]),
  },
  'removes ports in the patch that hides its backends': {
    spec: quota({ listeners: 3 }),
    has: { ports: [80, 81, 82] },
    patches: [{ spec: { ports: ports(80) }, ...annotate({ weight: 'x' }) }],
    otherRequest: other([90, 91]),
  },
  'keeps listeners instead of a listener that a constraint forbids': {
    spec: quota({ listeners: 2 }, NO_SSH),
    has: { ports: [80, 81] },
    patches: [{ spec: { ports: ports(22) } }],
    otherRequest: other(),
  },
  'is counted together with other namespaces': {
    spec: quota({ per: 'policy', listeners: 2 }),
    has: { ports: [80, 81] },
    patches: [annotate({ id: 'lb-nowhere' })],
    otherRequest: { ...other(), namespace: 'bank' },
  },
};
