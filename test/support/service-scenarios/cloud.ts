import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { CloudTransport } from '../../../src/alibaba/cloud-call-types.ts';
import { createCloud, type CloudApis } from '../../../src/alibaba/cloud.ts';
import { createCloudMetrics } from '../../../src/alibaba/metrics.ts';
import type { Clock } from '../../../src/base/clock.ts';
import type { SeedInput } from '../../../src/local/simulator/seed.ts';
import type { Simulator } from '../../../src/local/simulator/simulator.ts';
import { transportTo } from '../simulated-controller.ts';
import { interfacesOf } from '../pods.ts';
import { aNetwork } from '../simulator.ts';

export const REGION = 'cn-hangzhou';
const PODS_WITH_INTERFACES = 30;

/** Returns the cloud of every scenario: a network, instances, pods with interfaces, certificates, and access control lists. */
export const standardCloud = (instances: number): SeedInput => ({
  ...aNetwork(instances),
  networkInterfaces: interfacesOf(PODS_WITH_INTERFACES),
  certificates: [
    { id: 'cert-1', commonName: 'a.example', expiresAt: '2030-01-01T00:00:00Z' },
    { id: 'cert-2', commonName: 'b.example', expiresAt: '2030-01-01T00:00:00Z' },
    { id: 'cert-expired', commonName: 'old.example', expiresAt: '2025-01-01T00:00:00Z' },
  ],
  accessControlLists: [
    { id: 'acl-1', name: 'first', entries: { '192.0.2.0/24': '' } },
    { id: 'acl-2', name: 'second', entries: { '198.51.100.0/24': '' } },
  ],
});

const cloudBy = (transport: CloudTransport, clock: Clock, isReadOnly: boolean): CloudApis =>
  createCloud({
    regionId: REGION,
    transport,
    inventoryTransport: transport,
    guard: () => !isReadOnly,
    isReadOnly,
    clock,
    log: pino({ level: 'silent' }),
    metrics: createCloudMetrics(new Registry()),
  });

/** Creates the access of a controller to the simulated cloud. Each call waits for `pass`. */
export function controllersCloud(simulator: Simulator, clock: Clock, pass: () => Promise<void>): CloudApis {
  const direct = transportTo(simulator, 'portcullis');
  const transport: CloudTransport = async (...call) => {
    await pass();
    return direct(...call);
  };
  return cloudBy(transport, clock, false);
}

/** Creates the read-only access of `portcullis plan` to the simulated cloud. */
export const readOnlyCloud = (simulator: Simulator, clock: Clock): CloudApis =>
  cloudBy(transportTo(simulator, 'portcullis-plan'), clock, true);

/** Returns the ids that a seed contains. */
export function idsIn(seed: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      if (key === 'id' && typeof item === 'string') found.add(item);
      walk(item);
    }
  };
  walk(seed);
  return found;
}
