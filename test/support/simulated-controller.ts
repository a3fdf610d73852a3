import { pino } from 'pino';
import { Registry } from 'prom-client';
import { runApp, type AppParts } from '../../src/process/app.ts';
import { leaseTarget } from '../../src/controller/node-and-route-settings.ts';
import type { ClusterSettings } from '../../src/clb/model/cluster-settings.ts';
import type { ControllerName } from '../../src/controller/controllers-flag.ts';
import type { Simulator } from '../../src/local/simulator/simulator.ts';
import type { KubernetesDouble } from './kubernetes-double.ts';
import { mortal, type Hooks } from './process-hooks.ts';
import type { VirtualClock } from './virtual-clock.ts';

export { transportTo } from './process-hooks.ts';

export const SETTINGS: ClusterSettings = {
  clusterId: 'c1',
  vpcId: 'vpc-1',
  vSwitchIds: ['vsw-1'],
  resourceGroupId: '',
  backendType: 'ecs',
  disablePublicSLB: false,
  disabledIpv6Gates: ['IPv6DualStack'],
};

export interface ProcessOptions extends Hooks {
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly kubernetes: KubernetesDouble;
  readonly settings?: Partial<ClusterSettings>;
  readonly protectedIds?: readonly string[];
  /** Policies to follow. Defaults to none. */
  readonly policies?: AppParts['policies'];
  /** Controllers to start. Defaults to `service` alone. */
  readonly controllers?: readonly ControllerName[];
  /** Expected number of transitions of the acquired Lease. Not checked by default. */
  readonly leaseTransitions?: number;
  /** A random number from 0 (inclusive) to 1 (exclusive). Defaults to 0.5. */
  readonly random?: () => number;
}

/** A leading controller process in virtual time. `aCluster` starts it in this process, on doubles of API server and cloud. */
export interface ControllerProcess {
  /** Stops as on SIGTERM: running reconciles finish first. */
  stop(): Promise<void>;
  /** Ends the process at once: started work does not continue. */
  kill(): void;
  /** Stops all changes of the caches, as if the watches hung. */
  freeze(): void;
  readonly registry: Registry;
  readonly lines: readonly string[];
}

export function startProcess(options: ProcessOptions): ControllerProcess {
  const { clock } = options;
  const registry = new Registry();
  const lines: string[] = [];
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => void lines.push(line) });
  const { client, cloud, die } = mortal({ ...options, registry, log });
  const stop = new AbortController();
  const running = runApp(
    {
      clock,
      log,
      registry,
      kubernetes: client,
      cloud,
      settings: { ...SETTINGS, ...options.settings },
      clusterCidrs: ['10.244.0.0/16'],
      regionId: 'cn-hangzhou',
      protectedIds: new Set(options.protectedIds),
      ...(options.policies === undefined ? {} : { policies: options.policies }),
      warnOnly: false,
      controllers: new Set(options.controllers ?? ['service']),
      leaseTransitions: options.leaseTransitions,
      serviceWorkers: 3,
      nodes: {
        ...{ regionId: 'cn-hangzhou', vpcId: 'vpc-1', routes: false, ipv6: false, sourceDestCheck: 'disable' },
        providerIdForm: 'region.instance',
        removalGraceMs: 60_000,
      },
      target: leaseTarget({}),
      random: options.random ?? (() => 0.5),
    },
    stop.signal,
  );
  return {
    registry,
    lines,
    stop: async () => {
      stop.abort(new Error('stopped'));
      await clock.complete(running);
      client.disconnect();
    },
    freeze: () => client.disconnect(),
    kill: () => {
      die();
      stop.abort(new Error('killed'));
    },
  };
}
