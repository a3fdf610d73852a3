import type { Registry } from 'prom-client';
import { createCloud, type CloudApis } from '../../src/alibaba/cloud.ts';
import {
  NoAnswer,
  CloudRejection,
  type CloudOperation,
  type CloudTransport,
} from '../../src/alibaba/cloud-call-types.ts';
import { createCloudMetrics } from '../../src/alibaba/metrics.ts';
import type { Clock } from '../../src/base/clock.ts';
import { PortcullisError } from '../../src/base/errors.ts';
import { ConnectionCut } from '../../src/local/simulator/error.ts';
import type { Simulator } from '../../src/local/simulator/simulator.ts';
import type { Logger } from '../../src/base/log.ts';
import type { Client, KubernetesDouble, WriteHook } from './kubernetes-double.ts';

/** A function called before and after every cloud call. It may throw or never resolve. */
export type CallHook = (action: string, when: 'before' | 'after') => Promise<void>;

/** A function that replaces an answer of the cloud. */
export type AnswerHook = (operation: CloudOperation, parameters: object, answer: object) => object;

/** Functions called around each cloud call and each write of one process. The suite faults kills or disturbs a controller by them. */
export interface Hooks {
  readonly onCall?: CallHook;
  readonly answered?: AnswerHook;
  readonly onWrite?: WriteHook;
  /** Returns whether the process leads. Defaults to true. */
  readonly leads?: () => boolean;
}

/** The environment of a process in virtual time. */
export interface MortalInput extends Hooks {
  readonly clock: Clock;
  readonly simulator: Simulator;
  readonly kubernetes: KubernetesDouble;
  readonly registry: Registry;
  readonly log: Logger;
}

/** Clients of a process that can die at any instant. */
export interface Mortal {
  readonly client: Client;
  readonly cloud: CloudApis;
  /** Ends the process: started work does not continue, and no result arrives. */
  readonly die: () => void;
}

interface Answer {
  readonly Code?: string;
  readonly Message?: string;
  readonly RequestId?: string;
}

/** Returns a transport that calls the simulator without a network. */
export const transportTo =
  (simulator: Simulator, userAgent: string): CloudTransport =>
  async ({ version, action }, parameters, signal) => {
    try {
      const { status, body } = await simulator.execute({ version, action, parameters, userAgent }, signal);
      const answer = JSON.parse(body) as Answer | null;
      if (answer === null || typeof answer !== 'object') throw new NoAnswer('the response is not a JSON object', true);
      if (status === 200) return answer;
      throw new CloudRejection(answer.Message ?? '', { code: answer.Code ?? '', status, requestId: answer.RequestId });
    } catch (error) {
      if (error instanceof ConnectionCut) throw new NoAnswer('the connection was closed', true);
      if (error instanceof SyntaxError) throw new NoAnswer('the response is not JSON', true);
      throw error;
    }
  };

const forever = (): Promise<never> => new Promise(() => undefined);

/** Creates the clients of a process that can die, for `startProcess` and `nodeBench`. */
export function mortal({ clock, simulator, kubernetes, registry, log, ...hooks }: MortalInput): Mortal {
  let isDead = false;
  const alive = async (hook: (() => Promise<void> | undefined) | undefined): Promise<void> => {
    if (isDead) await forever();
    await hook?.();
    if (isDead) await forever();
  };
  const leads = (): boolean => hooks.leads?.() ?? true;
  const client = kubernetes.connect((write, when) => {
    if (when === 'before' && !leads()) throw new PortcullisError('LostLeadership', 'another replica may be leading');
    return alive(() => hooks.onWrite?.(write, when));
  });
  const direct = transportTo(simulator, 'portcullis');
  const transport: CloudTransport = async (operation, parameters, ...call) => {
    await alive(() => hooks.onCall?.(operation.action, 'before'));
    const answer = await direct(operation, parameters, ...call).finally(() => alive(undefined));
    await alive(() => hooks.onCall?.(operation.action, 'after'));
    return hooks.answered?.(operation, parameters, answer) ?? answer;
  };
  const cloud = createCloud({
    regionId: 'cn-hangzhou',
    transport,
    inventoryTransport: transportTo(simulator, 'portcullis-inventory'),
    guard: () => !isDead && leads(),
    clock,
    log,
    metrics: createCloudMetrics(registry),
  });
  return {
    client,
    cloud,
    die: () => {
      isDead = true;
      client.disconnect();
    },
  };
}
