import type { LoadBalancerBinding } from '../../src/inventory/binding.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { MACHINES } from '../../src/local/seed.ts';
import type { JournalEntry } from '../../src/local/simulator/simulator.ts';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import { eventually } from '../support/eventually.ts';
import { startSandbox, type TestSandbox } from '../support/sandbox.ts';
import type { Figure } from './figure.ts';

const SERVICES = 20;
const CHANGES = 90;
/** Milliseconds between changes: about 43 adding and 43 removing calls a minute, less than half of the cloud's limit. */
const EVERY_MS = 700;
const NAMESPACE = 'default';
const COMMITS = new Set(['AddVServerGroupBackendServers', 'RemoveVServerGroupBackendServers']);

const nameOf = (index: number): string => `fresh-${index}`;
const services = `/api/v1/namespaces/${NAMESPACE}/services`;
const slices = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`;

const service = (index: number): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: nameOf(index) },
  spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80, targetPort: 8080 }] },
});

/** Returns the slice of a Service's pods: one pod on the first machine, and optionally one on the second. */
const slice = (index: number, isOnSecond: boolean): object => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: nameOf(index), labels: { 'kubernetes.io/service-name': nameOf(index) } },
  addressType: 'IPv4',
  ports: [{ name: '', port: 8080, protocol: 'TCP' }],
  endpoints: MACHINES.slice(0, isOnSecond ? 2 : 1).map(({ nodeName, podCidr }) => ({
    addresses: [podCidr.replace('.0/24', `.${index + 10}`)],
    conditions: { ready: true },
    nodeName,
  })),
});

const BINDINGS = '/apis/portcullis.io/v1alpha1/loadbalancerbindings';

async function loadBalancerOf({ client }: TestSandbox, index: number): Promise<string> {
  const { metadata } = (await client.get(`${services}/${nameOf(index)}`)) as Service;
  const { spec } = (await client.get(`${BINDINGS}/${metadata.uid}`)) as LoadBalancerBinding;
  const id = spec.loadBalancer?.id;
  if (spec.syncedDigest === undefined || id === undefined) throw new Error(`${nameOf(index)} is not served yet`);
  return id;
}

async function prepare(sandbox: TestSandbox): Promise<readonly string[]> {
  const indices = Array.from({ length: SERVICES }, (_, index) => index);
  for (const index of indices) {
    await sandbox.client.create(slices, slice(index, false));
    await sandbox.client.create(services, service(index));
  }
  let ids: readonly string[] = [];
  await eventually(async () => {
    ids = await Promise.all(indices.map((index) => loadBalancerOf(sandbox, index)));
  });
  return ids;
}

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;

/** Returns the milliseconds from a change of endpoints in the API server to the changed backend in the cloud, for an otherwise idle controller. */
async function waits(sandbox: TestSandbox): Promise<readonly number[]> {
  const ids = await prepare(sandbox);
  const before = (await sandbox.simulator('journal')) as readonly JournalEntry[];
  const changes: { readonly id: string; readonly atMs: number }[] = [];
  for (let change = 0; change < CHANGES; change += 1) {
    const index = change % SERVICES;
    changes.push({ id: ids[index] ?? '', atMs: Date.now() });
    await sandbox.client.apply(`${slices}/${nameOf(index)}`, slice(index, Math.floor(change / SERVICES) % 2 === 0));
    await delay(EVERY_MS);
  }
  await delay(2_000);
  const journal = (await sandbox.simulator(`journal?since=${before.at(-1)?.n ?? 0}`)) as readonly JournalEntry[];
  const commits = journal.filter(({ action, outcome }) => COMMITS.has(action) && outcome === 'OK');
  if (commits.length !== CHANGES) throw new Error(`${commits.length} calls applied ${CHANGES} changes`);
  return changes.map(({ id, atMs }, change) => {
    const round = Math.floor(change / SERVICES);
    const commit = commits.filter(({ subject }) => subject === id)[round];
    return Date.parse(commit?.finished ?? '') - atMs;
  });
}

/** Measures the delay of endpoint changes in a sandbox with real processes. The benchmark `freshness` of run.ts calls it. */
export async function freshnessFigures(): Promise<readonly Figure[]> {
  await using sandbox = await startSandbox({ without: ['webhook'], isChecked: false });
  const sorted = (await waits(sandbox)).toSorted((left, right) => left - right);
  const name = 'a change of endpoints until the cloud has it';
  return [
    { name: `${name}, p50`, value: share(sorted, 0.5), unit: 'ms', limit: 300 },
    { name: `${name}, p99`, value: share(sorted, 0.99), unit: 'ms', limit: 500 },
  ];
}
