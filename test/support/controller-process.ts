import { pino } from 'pino';
import { Registry } from 'prom-client';
import { NoAnswer, Refusal, type Transport } from '../../src/alibaba/call.ts';
import { createCloud } from '../../src/alibaba/cloud.ts';
import { createCloudMetrics } from '../../src/alibaba/metrics.ts';
import { runApp } from '../../src/app.ts';
import type { ClusterSettings } from '../../src/clb/settings.ts';
import type { ControllerName } from '../../src/controller/controllers.ts';
import { ConnectionCut } from '../../src/local/simulator/error.ts';
import type { Simulator } from '../../src/local/simulator/simulator.ts';
import type { KubernetesDouble, WriteHook } from './kubernetes-double.ts';
import type { VirtualClock } from './virtual-clock.ts';

export const SETTINGS: ClusterSettings = {
  clusterId: 'c1',
  vpcId: 'vpc-1',
  vSwitchIds: ['vsw-1'],
  resourceGroupId: '',
  backendType: 'ecs',
  disablePublicSLB: false,
};

/** Called around every call of the cloud; may throw or never resolve. */
export type CallHook = (action: string, when: 'before' | 'after') => Promise<void>;

export interface ProcessOptions {
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly kubernetes: KubernetesDouble;
  readonly settings?: Partial<ClusterSettings>;
  readonly aroundCall?: CallHook;
  readonly aroundWrite?: WriteHook;
  readonly protectedIds?: readonly string[];
  /** `service` alone unless told. */
  readonly controllers?: readonly ControllerName[];
}

/** A controller process that leads, in virtual time. */
export interface ControllerProcess {
  /** Stops as on SIGTERM: turns under way end first. */
  stop(): Promise<void>;
  /** Is gone at this very instant: nothing that it has begun goes on. */
  kill(): void;
  /** Its caches stand still from now on, as behind a watch that hangs. */
  freeze(): void;
  readonly registry: Registry;
  readonly lines: readonly string[];
}

interface Answer {
  readonly Code?: string;
  readonly Message?: string;
  readonly RequestId?: string;
}

/** Calls the simulator without a network between. */
export const transportTo =
  (simulator: Simulator, userAgent: string): Transport =>
  async ({ version, action }, parameters, signal) => {
    try {
      const { status, body } = await simulator.execute({ version, action, parameters, userAgent }, signal);
      const answer = JSON.parse(body) as Answer;
      if (status === 200) return answer;
      throw new Refusal(answer.Message ?? '', { code: answer.Code ?? '', status, requestId: answer.RequestId });
    } catch (error) {
      if (error instanceof ConnectionCut) throw new NoAnswer('the connection was cut', true);
      if (error instanceof SyntaxError) throw new NoAnswer('the answer could not be read', true);
      throw error;
    }
  };

const forever = (): Promise<never> => new Promise(() => undefined);

export function startProcess(options: ProcessOptions): ControllerProcess {
  const { clock, simulator, kubernetes } = options;
  const registry = new Registry();
  const lines: string[] = [];
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => void lines.push(line) });
  let isDead = false;
  const alive = async (hook: (() => Promise<void>) | undefined): Promise<void> => {
    if (isDead) await forever();
    await hook?.();
    if (isDead) await forever();
  };
  const client = kubernetes.connect((write, when) =>
    alive(() => options.aroundWrite?.(write, when) ?? Promise.resolve()),
  );
  const direct = transportTo(simulator, 'portcullis');
  const transport: Transport = async (operation, parameters, signal) => {
    await alive(() => options.aroundCall?.(operation.action, 'before') ?? Promise.resolve());
    const answer = await direct(operation, parameters, signal).finally(() => alive(undefined));
    await alive(() => options.aroundCall?.(operation.action, 'after') ?? Promise.resolve());
    return answer;
  };
  const cloud = createCloud({
    regionId: 'cn-hangzhou',
    transport,
    inventoryTransport: transportTo(simulator, 'portcullis-inventory'),
    guard: () => !isDead,
    clock,
    log,
    metrics: createCloudMetrics(registry),
  });
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
      controllers: new Set(options.controllers ?? ['service']),
      serviceWorkers: 3,
      nodes: {
        ...{ regionId: 'cn-hangzhou', vpcId: 'vpc-1', routes: false, ipv6: false, sourceDestCheck: 'disable' },
        removalGraceMs: 60_000,
      },
      random: () => 0.5,
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
      isDead = true;
      client.disconnect();
      stop.abort(new Error('killed'));
    },
  };
}
