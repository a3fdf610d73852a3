import type { V1ConfigMap, V1DaemonSet, V1Deployment, V1Pod, V1Secret } from '@kubernetes/client-node';
import type { Wire } from '../../base/kubernetes-objects.ts';
import type { ApiClient } from '../api-client.ts';
import type { KubeletDeployment } from './container-of-deployment.ts';
import type { ValueSource } from './environment-variables.ts';
import type { VolumeSource } from './volumes.ts';

export type KubeletPod = Wire<V1Pod>;

/** The objects of a namespace that the kubelet needs for one pass. */
export interface NamespaceSnapshot {
  /** Returns the Deployment or DaemonSet with this name. One type suffices, because the kubelet reads only fields that both kinds have. */
  readonly deployment: (name: string) => KubeletDeployment | undefined;
  /** Returns the pods that match the selector of the Deployment. */
  readonly pods: (deployment: KubeletDeployment) => readonly KubeletPod[];
  readonly files: Pick<VolumeSource, 'secret' | 'configMap'>;
  readonly values: ValueSource;
}

interface List<Item> {
  readonly items: readonly Item[];
}

/** Reads the objects that the kubelet needs from the API server. Runs at the start of each pass of the kubelet. */
export async function takeSnapshot(
  client: ApiClient,
  namespace: string,
  signal: AbortSignal,
): Promise<NamespaceSnapshot> {
  const core = `/api/v1/namespaces/${namespace}`;
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const [deployments, daemonSets, pods, secrets, configMaps] = (await Promise.all([
    client.get(`${apps}/deployments`, signal),
    client.get(`${apps}/daemonsets`, signal),
    client.get(`${core}/pods`, signal),
    client.get(`${core}/secrets`, signal),
    client.get(`${core}/configmaps`, signal),
  ])) as [
    List<Wire<V1Deployment>>,
    List<Wire<V1DaemonSet>>,
    List<KubeletPod>,
    List<Wire<V1Secret>>,
    List<Wire<V1ConfigMap>>,
  ];
  const byName = <Item extends { readonly metadata?: { readonly name?: string } }>(list: List<Item>) =>
    new Map(list.items.map((item) => [item.metadata?.name ?? '', item]));
  const [deploymentOf, daemonSetOf] = [byName(deployments), byName(daemonSets)];
  const [secretOf, configMapOf] = [byName(secrets), byName(configMaps)];
  const files: NamespaceSnapshot['files'] = {
    secret: (name) => contents(secretOf.get(name)?.data, 'base64'),
    configMap: (name) => {
      const found = configMapOf.get(name);
      if (found === undefined) return undefined;
      return new Map([
        ...(contents(found.data ?? {}, 'utf8') ?? []),
        ...(contents(found.binaryData ?? {}, 'base64') ?? []),
      ]);
    },
  };
  return {
    deployment: (name) => deploymentOf.get(name) ?? daemonSetOf.get(name),
    pods: (deployment) => pods.items.filter((pod) => isSelected(pod, deployment)),
    files,
    values: {
      secret: (name, key) => files.secret(name)?.get(key)?.toString(),
      configMap: (name, key) => files.configMap(name)?.get(key)?.toString(),
    },
  };
}

const contents = (
  data: Readonly<Record<string, string>> | undefined,
  encoding: 'base64' | 'utf8',
): ReadonlyMap<string, Buffer> | undefined =>
  data && new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, encoding)]));

const isSelected = (pod: KubeletPod, deployment: KubeletDeployment): boolean =>
  Object.entries(deployment.spec?.selector.matchLabels ?? {}).every(
    ([key, value]) => pod.metadata?.labels?.[key] === value,
  );
