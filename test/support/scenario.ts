import assert from 'node:assert/strict';
import { cloudPicture, loadBalancersCreated } from './cloud-picture.ts';
import { aCluster, aSlice, ENDPOINT_SLICES, keyOf, SERVICES, type Cluster } from './cluster.ts';
import type { ControllerProcess, ProcessOptions } from './controller-process.ts';
import { aPodSlice, interfacesOf } from './pods.ts';
import { aService } from './service.ts';
import type { Knobs } from '../../src/local/simulator/simulator.ts';

/** What a person does to a Service, and what has to be there before. */
export interface Scenario {
  readonly prepare: (cluster: Cluster) => void;
  readonly act: (cluster: Cluster) => void;
}

const KEY = keyOf(aService());
const annotation = (suffix: string): string => `service.beta.kubernetes.io/alibaba-cloud-loadbalancer-${suffix}`;
const local = (said: Parameters<typeof aService>[0]) => {
  const service = aService(said);
  return { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } };
};
const create = ({ kubernetes }: Cluster): void => {
  kubernetes.put(ENDPOINT_SLICES, aSlice(aService({ ports: [80, 443] }), ['n1', 'n2']));
  kubernetes.put(SERVICES, local({ ports: [80, 443] }));
};
/** An attribute of all listeners, one port for another, and one backend for another. */
const update = ({ kubernetes }: Cluster): void => {
  const changed = local({ ports: [80, 8080] });
  kubernetes.put(ENDPOINT_SLICES, aSlice(aService({ ports: [80, 443, 8080] }), ['n1', 'n3']));
  kubernetes.patch(SERVICES, KEY, {
    spec: changed.spec,
    metadata: { annotations: { [annotation('scheduler')]: 'rr', [annotation('name')]: 'other' } },
  });
};

/** Three pods behind a Service whose backends are pods. */
const withPods = ({ kubernetes, simulator }: Cluster): void => {
  simulator.seed({ networkInterfaces: interfacesOf(5) });
  const service = aService({ ports: [80, 443], annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } });
  kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, [1, 2, 3]));
  kubernetes.put(SERVICES, service);
};
const roll = ({ kubernetes }: Cluster): void =>
  void kubernetes.put(ENDPOINT_SLICES, aPodSlice(aService({ ports: [80, 443] }), [3, 4, 5]));
const toNodes = ({ kubernetes }: Cluster): void =>
  void kubernetes.patch(SERVICES, KEY, {
    metadata: { annotations: { 'service.beta.kubernetes.io/backend-type': 'ecs' } },
  });

/** A load balancer that people have made with two groups, of which the Service uses the first. */
const inGroupOfPeople = ({ kubernetes, simulator }: Cluster): void => {
  const member = { serverId: 'i-1', port: 8080, weight: 7 };
  const groups = ['hers', 'more'].map((name) => ({ id: `rsp-${name}`, name, backends: [member] }));
  simulator.seed({ loadBalancers: [{ id: 'lb-made', name: 'by-hand', serverGroups: groups }] });
  const annotations = { [annotation('id')]: 'lb-made', [annotation('vgroup-port')]: 'rsp-hers:80' };
  kubernetes.put(SERVICES, aService({ annotations }));
};
const toOtherGroup = ({ kubernetes }: Cluster): void =>
  void kubernetes.patch(SERVICES, KEY, {
    metadata: { annotations: { [annotation('vgroup-port')]: 'rsp-more:80', [annotation('weight')]: '60' } },
  });

const SECURE = {
  'protocol-port': 'http:80,https:443',
  'forward-port': '80:443',
  'cert-id': 'cert-1',
  'domain-extensions': 'a.example:cert-1,b.example:cert-1',
  'idle-timeout': '30',
};
const PRESERVED = { 'preserve-lb-on-delete': 'true', name: 'my-web' };
const annotated = <Value>(said: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(said).map(([suffix, value]) => [annotation(suffix), value]));
const createSecure = ({ kubernetes, simulator }: Cluster): void => {
  const certificates = ['cert-1', 'cert-2'].map((id) => ({ id, commonName: id, expiresAt: '2030-01-01T00:00:00Z' }));
  simulator.seed({ certificates });
  kubernetes.put(SERVICES, aService({ ports: [80, 443], annotations: annotated(SECURE) }));
};
/** Forwarding off, another certificate, a domain more, one less and one with another certificate, and an annotation taken away. */
const updateSecure = ({ kubernetes }: Cluster): void => {
  const annotations = annotated<string | null>({
    'forward-port': null,
    'cert-id': 'cert-2',
    'domain-extensions': 'b.example:cert-2,c.example:cert-1',
    'idle-timeout': null,
  });
  kubernetes.patch(SERVICES, KEY, { metadata: { annotations } });
};

export const SCENARIOS = {
  create: { prepare: () => undefined, act: create },
  update: { prepare: create, act: update },
  'update of an HTTPS listener': { prepare: createSecure, act: updateSecure },
  delete: { prepare: create, act: ({ kubernetes }) => kubernetes.delete(SERVICES, KEY) },
  'deletion of a preserved, renamed one': {
    prepare: ({ kubernetes }) => kubernetes.put(SERVICES, aService({ annotations: annotated(PRESERVED) })),
    act: ({ kubernetes }) => kubernetes.delete(SERVICES, KEY),
  },
  'rolling update of pods': { prepare: withPods, act: roll },
  'change from pods to nodes': { prepare: withPods, act: toNodes },
  'move to another group of people': { prepare: inGroupOfPeople, act: toOtherGroup },
  'deletion in a group of people': {
    prepare: inGroupOfPeople,
    act: ({ kubernetes }) => kubernetes.delete(SERVICES, KEY),
  },
} as const satisfies Readonly<Record<string, Scenario>>;

/** Long enough for a back-off, a window, and a creation of unknown outcome to settle. */
const QUIET_MS = 15 * 60_000;

export interface Stage {
  readonly cluster: Cluster;
  readonly process: ControllerProcess;
  /** Calls before the scenario began. */
  readonly since: number;
}

/** The world before the scenario, with a controller that will be hit by what `options` say. */
export async function stage(
  scenario: Scenario,
  options: Partial<ProcessOptions> = {},
  knobs: Partial<Knobs> = {},
): Promise<Stage> {
  const cluster = aCluster({ knobs });
  const before = cluster.start();
  scenario.prepare(cluster);
  await cluster.quiet();
  await before.stop();
  const since = cluster.simulator.journal().length;
  const process = cluster.start(options);
  await cluster.quiet();
  return { cluster, process, since };
}

/** The scenario without any fault: the end that every other run must reach, and how long it is. */
export async function reference(scenario: Scenario) {
  let steps = 0;
  const count = async () => {
    steps += 1;
  };
  const { cluster, process, since } = await stage(scenario, { aroundCall: count, aroundWrite: count });
  const writesBefore = cluster.kubernetes.writes.length;
  scenario.act(cluster);
  await cluster.quiet();
  const calls = cluster.calls(since);
  const writes = cluster.kubernetes.writes.length - writesBefore;
  await cluster.quiet(QUIET_MS);
  await process.stop();
  return { picture: cloudPicture(cluster.simulator), steps, calls, writes, service: cluster.service() };
}

/** Lets everything come to rest and holds the end against the reference. */
export async function settlesAs(
  { cluster, process }: Pick<Stage, 'cluster' | 'process'>,
  expected: Awaited<ReturnType<typeof reference>>,
): Promise<void> {
  await cluster.quiet(QUIET_MS);
  // Looking lets a late call take effect, and what it changed needs a moment.
  cluster.simulator.state();
  await cluster.quiet(1_000);
  assert.deepEqual(cloudPicture(cluster.simulator), expected.picture, 'the cloud is another than without the fault');
  assert.ok(loadBalancersCreated(cluster.simulator) <= 1, 'more than one load balancer was created');
  const service = cluster.service();
  assert.equal(
    service === undefined,
    expected.service === undefined,
    'the Service is there, or not, as without the fault',
  );
  assert.equal(service?.metadata.labels?.['portcullis.io/dirty'], undefined, 'the Service is still marked dirty');
  const changes = () => cluster.journal().filter(({ kind }) => kind === 'write').length;
  const before = changes();
  const writes = cluster.kubernetes.writes.length;
  await cluster.quiet(QUIET_MS);
  assert.equal(changes(), before, 'changing calls go on after all is done');
  assert.equal(cluster.kubernetes.writes.length, writes, 'writes go on after all is done');
  await process.stop();
}
