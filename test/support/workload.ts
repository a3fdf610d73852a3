import type { V1PodTemplateSpec } from '@kubernetes/client-node';
import type { Wire } from '../../src/base/kubernetes-objects.ts';
import type { Manifest } from './manifests.ts';

/** The template of pods, in the form of a manifest. */
export type PodTemplate = Wire<V1PodTemplateSpec>;
export type PodSpec = NonNullable<PodTemplate['spec']>;

/** A Deployment or a DaemonSet. */
export interface Workload extends Manifest {
  readonly spec: { readonly replicas?: number; readonly template: PodTemplate };
}

export const workloadsOf = (objects: readonly Manifest[]): readonly Workload[] =>
  objects.filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet') as unknown as readonly Workload[];

/** Returns a pod as its controller would create it. */
export const podOf = ({ metadata: { name, namespace }, spec: { template } }: Workload, into = namespace): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...template.metadata, name, namespace: into },
  spec: template.spec,
});
