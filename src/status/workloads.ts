import type { DaemonSet, Deployment } from '../base/kubernetes-objects.ts';
import { valueOf } from './read-result.ts';
import type { StatusFacts } from './facts.ts';

/** A component of the installation: a Deployment or a DaemonSet. */
export interface Workload {
  readonly component: 'controller' | 'webhook';
  readonly image: string;
  readonly desired: number;
  readonly ready: number;
}

/** Returns the version in the name of an image: its tag, or the start of its digest. */
export function imageVersion(image: string): string {
  const [name = '', digest] = image.split('@');
  const tag = name.slice(name.lastIndexOf('/') + 1).split(':')[1];
  return tag ?? digest?.slice(0, 'sha256:'.length + 12) ?? 'latest';
}

const isDaemonSet = (object: Deployment | DaemonSet): object is DaemonSet =>
  object.status !== undefined && 'desiredNumberScheduled' in object.status;

const replicasOf = (object: Deployment | DaemonSet): Pick<Workload, 'desired' | 'ready'> =>
  isDaemonSet(object)
    ? { desired: object.status?.desiredNumberScheduled ?? 0, ready: object.status?.numberReady ?? 0 }
    : { desired: object.spec?.replicas ?? 1, ready: object.status?.readyReplicas ?? 0 };

function workloadOf(object: Deployment | DaemonSet): readonly Workload[] {
  const component = object.metadata.labels?.['app.kubernetes.io/component'];
  if (component !== 'controller' && component !== 'webhook') return [];
  const image = object.spec?.template.spec?.containers[0]?.image ?? '';
  return [{ component, image, ...replicasOf(object) }];
}

/** Returns the components that run in the cluster. */
export const workloadsOf = ({ deployments, daemonSets }: StatusFacts): readonly Workload[] =>
  [...(valueOf(deployments) ?? []), ...(valueOf(daemonSets) ?? [])].flatMap(workloadOf);
