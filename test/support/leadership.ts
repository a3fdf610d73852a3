import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { INVENTORY_KEY } from '../../src/inventory/facts-from-caches.ts';
import { CLOUD_INVENTORIES } from '../../src/inventory/custom-resources.ts';
import { Election } from '../../src/kubernetes/lease.ts';
import { leadingGauge } from '../../src/kubernetes/metrics.ts';
import { READY } from './bindings.ts';
import { aCluster, keyOf, SERVICES, type Cluster } from './simulated-cluster.ts';
import type { ProcessOptions } from './simulated-controller.ts';
import { LeaseStore } from './lease-store.ts';
import { apply, statusAndReason, type Running } from './running-controller.ts';
import { aService } from './service.ts';
import type { VirtualClock } from './virtual-clock.ts';

const SEED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1' }] };
/** Calls that read all parts of a Service with one port. */
export const A_READ = [
  'DescribeLoadBalancerAttribute',
  'DescribeLoadBalancerListeners',
  'DescribeVServerGroups',
  'DescribeVServerGroupAttribute',
];

/** A Lease, and the controllers that hold it in sequence. Tests what a leader does after another controller led. */
export interface Leads {
  readonly cluster: Cluster;
  /** Starts this controller and advances the clock by a minute. */
  readonly start: (options?: Partial<ProcessOptions>) => Promise<Lead>;
  /** Runs `act` while another controller leads. */
  readonly another: (act?: () => unknown) => Promise<void>;
}

export interface Lead extends Running {
  readonly transitions: number | undefined;
  readonly stop: () => Promise<void>;
  /** Kills the process, and releases the Lease in its place. */
  readonly kill: () => Promise<void>;
}

/** Acquires a Lease. */
export async function acquire(store: LeaseStore, clock: VirtualClock, identity: string) {
  const stop = new AbortController();
  const acquired = Promise.withResolvers<number | undefined>();
  const election = new Election({
    ...{ requests: store.connect(), clock, log: pino({ level: 'silent' }), identity, random: () => 1 },
    leading: leadingGauge(new Registry()),
  });
  const running = election.run((signal, transitions) => {
    acquired.resolve(transitions);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }, stop.signal);
  const transitions = await clock.complete(acquired.promise);
  const release = (): Promise<void> => {
    stop.abort(new Error('stopped'));
    return clock.complete(running);
  };
  return { transitions, release };
}

/** Creates a cluster without a previous leader. */
export function leads(): Leads {
  const cluster = aCluster();
  cluster.simulator.seed(SEED);
  const store = new LeaseStore(cluster.clock);
  let leaders = 0;
  const take = () => acquire(store, cluster.clock, `leader-${String((leaders += 1))}`);
  return {
    cluster,
    start: async (options = {}) => {
      const { transitions: leaseTransitions, release } = await take();
      const status = leaseTransitions === undefined ? {} : { leaseTransitions };
      const process = cluster.start({ controllers: ['service', 'inventory'], ...status, ...options });
      await cluster.quiet();
      const stop = async (): Promise<void> => {
        await process.stop();
        await release();
      };
      const kill = async (): Promise<void> => {
        process.kill();
        await release();
      };
      return { cluster, process, transitions: leaseTransitions, stop, kill };
    },
    another: async (act = () => undefined) => {
      const { release } = await take();
      await act();
      await release();
    },
  };
}

/** Returns the lease transitions that the inventory records. */
export const recorded = ({ cluster }: Pick<Leads, 'cluster'>): number | undefined =>
  cluster.kubernetes.get(CLOUD_INVENTORIES, INVENTORY_KEY)?.status?.leaseTransitions;

/** Returns a cluster in which a stopped first leader synced Service `web`. */
export async function served(annotations: Readonly<Record<string, string>> = {}): Promise<Leads> {
  const all = leads();
  const first = await all.start();
  await apply(first, { annotations });
  assert.deepEqual([statusAndReason(first), recorded(all)], [READY, first.transitions]);
  await first.stop();
  return all;
}

/** Deletes Service `web` without its finalizer. */
export function vanish({ cluster }: Pick<Leads, 'cluster'>): void {
  cluster.kubernetes.patch(SERVICES, keyOf(aService()), { metadata: { finalizers: null } });
  cluster.kubernetes.delete(SERVICES, keyOf(aService()));
}
