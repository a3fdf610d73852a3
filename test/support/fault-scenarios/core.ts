import type { Cluster } from '../simulated-cluster.ts';
import { aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../simulated-cluster.ts';
import { aPodSlice, interfacesOf } from '../pods.ts';
import { annotated, annotation } from '../running-controller.ts';
import type { Scenario } from './stage.ts';
import { aService } from '../service.ts';

const KEY = keyOf(aService());

/** Deletes the Service. */
export const remove = ({ kubernetes }: Cluster): void => kubernetes.delete(SERVICES, KEY);
export const patch =
  (change: object) =>
  ({ kubernetes }: Cluster): void =>
    void kubernetes.patch(SERVICES, KEY, change);

const local = (input: Parameters<typeof aService>[0]) => {
  const service = aService(input);
  return { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } };
};
/** Creates a Service with two ports and two backends. */
export const create = ({ kubernetes }: Cluster): void => {
  kubernetes.put(ENDPOINT_SLICES, aSlice(aService({ ports: [80, 443] }), ['n1', 'n2']));
  kubernetes.put(SERVICES, local({ ports: [80, 443] }));
};
/** Changes an attribute of all listeners, replaces a port, and replaces a backend. */
const update = ({ kubernetes }: Cluster): void => {
  const changed = local({ ports: [80, 8080] });
  kubernetes.put(ENDPOINT_SLICES, aSlice(aService({ ports: [80, 443, 8080] }), ['n1', 'n3']));
  kubernetes.patch(SERVICES, KEY, {
    spec: changed.spec,
    metadata: { annotations: { [annotation('scheduler')]: 'rr', [annotation('name')]: 'other' } },
  });
};

/** Creates three pods behind a Service with pods as backends. */
const withPods = ({ kubernetes, simulator }: Cluster): void => {
  simulator.seed({ networkInterfaces: interfacesOf(5) });
  const service = aService({ ports: [80, 443], annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } });
  kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, [1, 2, 3]));
  kubernetes.put(SERVICES, service);
};
const roll = ({ kubernetes }: Cluster): void =>
  void kubernetes.put(ENDPOINT_SLICES, aPodSlice(aService({ ports: [80, 443] }), [3, 4, 5]));
const toNodes = patch({ metadata: { annotations: { 'service.beta.kubernetes.io/backend-type': 'ecs' } } });

/** Creates a Service that uses the first of two groups on a user-managed load balancer. */
const inUserManagedGroup = ({ kubernetes, simulator }: Cluster): void => {
  const member = { serverId: 'i-1', port: 8080, weight: 7 };
  const groups = ['hers', 'more'].map((name) => ({ id: `rsp-${name}`, name, backends: [member] }));
  simulator.seed({ loadBalancers: [{ id: 'lb-made', name: 'by-hand', serverGroups: groups }] });
  const annotations = { [annotation('id')]: 'lb-made', [annotation('vgroup-port')]: 'rsp-hers:80' };
  kubernetes.put(SERVICES, aService({ annotations }));
};
const toOtherGroup = patch({ metadata: { annotations: annotated({ 'vgroup-port': 'rsp-more:80', weight: '60' }) } });

const SECURE = {
  'protocol-port': 'http:80,https:443',
  'forward-port': '80:443',
  'cert-id': 'cert-1',
  'domain-extensions': 'a.example:cert-1,b.example:cert-1',
  'idle-timeout': '30',
};
/** The annotations that preserve the load balancer. */
export const PRESERVED = { 'preserve-lb-on-delete': 'true', name: 'my-web' };
const createSecure = ({ kubernetes, simulator }: Cluster): void => {
  const certificates = ['cert-1', 'cert-2'].map((id) => ({ id, commonName: id, expiresAt: '2030-01-01T00:00:00Z' }));
  simulator.seed({ certificates });
  kubernetes.put(SERVICES, aService({ ports: [80, 443], annotations: annotated(SECURE) }));
};
/** Disables forwarding, replaces a certificate, adds, removes and changes domains, and removes an annotation. */
const updateSecure = patch({
  metadata: {
    annotations: annotated<string | null>({
      'forward-port': null,
      'cert-id': 'cert-2',
      'domain-extensions': 'b.example:cert-2,c.example:cert-1',
      'idle-timeout': null,
    }),
  },
});

/** Scenarios of the suites faults and soak. In the suite faults, each meets a kill at every step. */
export const SCENARIOS = {
  creation: { prepare: () => undefined, act: create },
  update: { prepare: create, act: update },
  'update of an HTTPS listener': { prepare: createSecure, act: updateSecure },
  deletion: { prepare: create, act: remove },
  'deletion of a preserved, renamed load balancer': {
    prepare: ({ kubernetes }) => kubernetes.put(SERVICES, aService({ annotations: annotated(PRESERVED) })),
    act: remove,
  },
  'rolling update of pods': { prepare: withPods, act: roll },
  'change from pods to nodes': { prepare: withPods, act: toNodes },
  'move to another user-managed group': { prepare: inUserManagedGroup, act: toOtherGroup },
  'deletion from a user-managed group': {
    prepare: inUserManagedGroup,
    act: remove,
  },
} as const satisfies Readonly<Record<string, Scenario>>;
