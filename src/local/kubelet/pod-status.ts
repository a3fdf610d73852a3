import type { Pod } from './objects.ts';

const GATES = ['Ready', 'ContainersReady'];

/** What the process behind a pod is found to be. */
export interface ProcessState {
  readonly ready: boolean;
  /** How often it was started again since the pod's status was last written. */
  readonly restarts: number;
}

/**
 * What has to be patched into a pod's status so that it says whether the process behind it is ready; `undefined` when it
 * says so already. kwok declares pods ready once and for all, because it knows of no process.
 * `now` is a time as the API carries it.
 */
export function readinessPatch(pod: Pod, { ready, restarts }: ProcessState, now: string): object | undefined {
  if (pod.status?.phase !== 'Running' || pod.metadata?.deletionTimestamp !== undefined) return undefined;
  const wanted = ready ? 'True' : 'False';
  const current = pod.status.conditions ?? [];
  const differs = GATES.some((type) => current.find((condition) => condition.type === type)?.status !== wanted);
  if (!differs && restarts === 0) return undefined;
  const reason = ready ? {} : { reason: 'ContainersNotReady', message: 'the process behind this pod is not ready' };
  return {
    status: {
      conditions: GATES.map((type) => ({ type, status: wanted, lastTransitionTime: now, ...reason })),
      containerStatuses: (pod.status.containerStatuses ?? []).map((status) => ({
        ...status,
        ready,
        restartCount: status.restartCount + restarts,
      })),
    },
  };
}

/** Which ports on 127.0.0.1 stand for the `ip:port`s of pods. `containerPorts` and `ports` are by the ports' names. */
export function podRoutes(
  pods: readonly Pod[],
  containerPorts: ReadonlyMap<string, number>,
  ports: Readonly<Record<string, number>>,
): readonly (readonly [target: string, port: number])[] {
  const addresses = pods.flatMap((pod) => pod.status?.podIP ?? []);
  return addresses.flatMap((address) =>
    [...containerPorts].flatMap(([name, containerPort]) => {
      const port = ports[name];
      return port === undefined ? [] : [[`${address}:${containerPort}`, port] as const];
    }),
  );
}
