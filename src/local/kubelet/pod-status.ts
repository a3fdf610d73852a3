import type { KubeletPod } from './objects.ts';

const GATES = ['Ready', 'ContainersReady'];

/** The state of the process that runs a pod. */
export interface ProcessState {
  readonly ready: boolean;
  /** The restarts since the last write of the pod's status. */
  readonly restarts: number;
}

/**
 * Returns the patch of a pod's status with the readiness of its process, or undefined if it is up to date. The patch is needed because kwok declares
 * pods ready without a process. `now` is in the API's time format.
 */
export function readinessPatch(pod: KubeletPod, { ready, restarts }: ProcessState, now: string): object | undefined {
  if (pod.status?.phase !== 'Running' || pod.metadata?.deletionTimestamp !== undefined) return undefined;
  const wanted = ready ? 'True' : 'False';
  const current = pod.status.conditions ?? [];
  const differs = GATES.some((type) => current.find((condition) => condition.type === type)?.status !== wanted);
  if (!differs && restarts === 0) return undefined;
  const reason = ready ? {} : { reason: 'ContainersNotReady', message: 'the process of the pod is not ready' };
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

/** Returns the port on 127.0.0.1 for each `ip:port` of a pod. `containerPorts` and `ports` are by port name. */
export function podRoutes(
  pods: readonly KubeletPod[],
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
