import type { KubeletPod } from './namespace-snapshot.ts';

const CONDITIONS = ['Ready', 'ContainersReady'];

/** The state of the process that runs a pod. */
export interface ProcessState {
  readonly ready: boolean;
  /** The number of restarts since the last write of the pod's status. */
  readonly restarts: number;
}

/** Returns the patch that corrects readiness and restarts in a pod's status, because kwok sets each pod to ready. */
export function readinessPatch(pod: KubeletPod, { ready, restarts }: ProcessState, now: string): object | undefined {
  if (pod.status?.phase !== 'Running' || pod.metadata?.deletionTimestamp !== undefined) return undefined;
  const wanted = ready ? 'True' : 'False';
  const current = pod.status.conditions ?? [];
  const differs = CONDITIONS.some((type) => current.find((condition) => condition.type === type)?.status !== wanted);
  if (!differs && restarts === 0) return undefined;
  const reason = ready ? {} : { reason: 'ContainersNotReady', message: 'the process of the pod is not ready' };
  return {
    status: {
      conditions: CONDITIONS.map((type) => ({ type, status: wanted, lastTransitionTime: now, ...reason })),
      containerStatuses: (pod.status.containerStatuses ?? []).map((status) => ({
        ...status,
        ready,
        restartCount: status.restartCount + restarts,
      })),
    },
  };
}

/** Returns the port on 127.0.0.1 for each `ip:port` of the pods, for the egress proxy. The keys of `containerPorts` and `ports` are port names. */
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
