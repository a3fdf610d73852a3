import { writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { LOAD_BALANCER_BINDINGS } from '../../../src/inventory/binding.ts';
import { CLOUD_INVENTORIES, CLASSIC_LOAD_BALANCERS } from '../../../src/inventory/custom-resources.ts';
import {
  CONFIG_MAPS,
  ENDPOINT_SLICES,
  NAMESPACES,
  NODES,
  PODS,
  SERVICES,
} from '../../../src/base/kubernetes-objects.ts';
import { SyntheticApiServer } from './api-server.ts';
import { generatedCollection, storedCollection } from './collection.ts';
import { largeCloud } from './large-cloud.ts';
import { largeCluster } from './large-cluster.ts';
import { CLUSTER_UID, type Size } from './names.ts';
import { inventoryOf } from './inventory.ts';
import { podText } from './pod.ts';

/** A message of this process to the benchmark: the port at the start, or the writes since the last request. */
export interface ReadyMessage {
  readonly port?: number;
  readonly writes?: readonly string[];
}
/** A message of the benchmark: `writes` requests the writes, `churn` starts the events of a busy cluster, and `rest` stops them. */
export type Asking = 'writes' | 'churn' | 'rest';

/** Events per second in a cluster of 5,000 Nodes: heartbeats, slice writes without changes, and pod changes. */
const PER_SECOND = { nodes: 17, slices: 20, pods: 150 };
const TICK_MS = 50;

/** The program: `main.ts NODES SERVICES PODS-PER-SERVICE SEED-FILE`. It writes a seed for the simulator, and sends its port when it listens. */
const [nodes = 0, services = 0, podsPerService = 0] = process.argv.slice(2, 5).map(Number);
const size: Size = { nodes, services, podsPerService };
const cluster = largeCluster(size);
const seedFile = process.argv[5];
if (seedFile !== undefined) writeFileSync(seedFile, JSON.stringify(largeCloud(cluster)));

const api = new SyntheticApiServer({
  [SERVICES.plural]: storedCollection(cluster.services.map(({ service }) => service)),
  [LOAD_BALANCER_BINDINGS.plural]: storedCollection(cluster.services.map(({ binding }) => binding)),
  [NAMESPACES.plural]: storedCollection([
    { metadata: { name: 'kube-system', uid: CLUSTER_UID, resourceVersion: '1' } },
  ]),
  [ENDPOINT_SLICES.plural]: storedCollection(cluster.slices),
  [NODES.plural]: storedCollection(cluster.nodes),
  [PODS.plural]: generatedCollection(services * podsPerService, (pod) => podText(pod, size)),
  [CLASSIC_LOAD_BALANCERS.plural]: storedCollection(cluster.services.map(inventoryOf)),
  [CLOUD_INVENTORIES.plural]: storedCollection(),
  [CONFIG_MAPS.plural]: storedCollection(),
});

let churning = new AbortController();

/** Sends all objects again in rotation at their rates, without relevant changes. */
async function churn(signal: AbortSignal): Promise<void> {
  for (let tick = 0; !signal.aborted; tick += 1) {
    const due = (perSecond: number): number[] => {
      const [from, to] = [tick, tick + 1].map((at) => Math.floor((at * perSecond * TICK_MS) / 1000));
      return Array.from({ length: (to ?? 0) - (from ?? 0) }, (_, at) => (from ?? 0) + at);
    };
    for (const at of due(PER_SECOND.nodes)) heartbeat(at % nodes);
    for (const at of due(PER_SECOND.slices)) {
      const slice = cluster.slices[at % services];
      if (slice !== undefined) api.put(ENDPOINT_SLICES.plural, slice);
    }
    for (const at of due(PER_SECOND.pods))
      api.emit(PODS.plural, podText(at % (services * podsPerService), size, api.next()));
    await delay(TICK_MS, undefined, { signal }).catch(() => undefined);
  }
}

function heartbeat(at: number): void {
  const node = cluster.nodes[at];
  if (node === undefined) return;
  const lastHeartbeatTime = new Date().toISOString();
  const conditions = (node.status?.conditions ?? []).map((condition) => ({ ...condition, lastHeartbeatTime }));
  api.put(NODES.plural, { ...node, status: { ...node.status, conditions } });
}

const send = (message: ReadyMessage): void => void process.send?.(message);
process.on('message', (request: Asking) => {
  if (request === 'writes') {
    send({
      writes: api.writes
        .splice(0)
        .map(({ verb, plural, key, body }) => `${verb} ${plural} ${key} ${body.slice(0, 300)}`),
    });
    return;
  }
  churning.abort();
  churning = new AbortController();
  if (request === 'churn') void churn(churning.signal);
});
process.once('disconnect', () => process.exit());
const server = api.server().listen(0, '127.0.0.1');
await once(server, 'listening');
send({ port: (server.address() as AddressInfo).port });
