import type { V1Container, V1Deployment, V1EnvVar, V1Volume } from '@kubernetes/client-node';
import { PortcullisError } from '../../base/errors.ts';
import type { Wire } from '../../base/kubernetes-objects.ts';

export type KubeletDeployment = Wire<V1Deployment>;
export type Volume = Wire<V1Volume>;
export type EnvVar = Wire<V1EnvVar>;

/** A mount of a volume in the container. `volume` is the name of the volume. */
export interface Mount {
  readonly volume: string;
  readonly mountPath: string;
  readonly subPath?: string;
}

/** A readiness probe. `port` is a container port. */
export interface HttpProbe {
  readonly path: string;
  readonly port: number;
  readonly scheme: 'http' | 'https';
}

/** The properties of a Deployment that the kubelet needs to run its container as a process. */
export interface Container {
  /** The namespace of the Deployment, whose name is `name`. */
  readonly namespace: string;
  readonly name: string;
  readonly serviceAccount: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly EnvVar[];
  readonly mounts: readonly Mount[];
  readonly volumes: readonly Volume[];
  /** The container ports by name. */
  readonly ports: ReadonlyMap<string, number>;
  readonly readiness?: HttpProbe;
  /** The milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

const DEFAULT_GRACE_S = 30;

function unsupported(name: string, what: string): PortcullisError {
  return new PortcullisError('InvalidConfiguration', `Deployment ${name}: the sandbox does not support ${what}`);
}

/** Returns the container of a Deployment. Runs in each pass of the kubelet. Throws `InvalidConfiguration` for features that the kubelet lacks. */
export function containerOf(deployment: KubeletDeployment): Container {
  const { name = '', namespace = 'default' } = deployment.metadata ?? {};
  const pod = deployment.spec?.template.spec;
  const container = onlyContainer(name, pod);
  return {
    namespace,
    name,
    ...podPart(pod),
    command: container.command ?? [],
    args: container.args ?? [],
    env: container.env ?? [],
    mounts: (container.volumeMounts ?? []).map(mountOf),
    ports: portsOf(container),
    ...readinessOf(name, container),
  };
}

type PodSpec = NonNullable<KubeletDeployment['spec']>['template']['spec'];

const podPart = (pod: PodSpec): Pick<Container, 'serviceAccount' | 'volumes' | 'graceMs'> => ({
  serviceAccount: pod?.serviceAccountName ?? 'default',
  volumes: pod?.volumes ?? [],
  graceMs: (pod?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_S) * 1000,
});

function onlyContainer(name: string, pod: PodSpec): Wire<V1Container> {
  const [only, ...more] = pod?.containers ?? [];
  if (only === undefined) throw unsupported(name, 'a pod without a container');
  if (more.length > 0 || (pod?.initContainers ?? []).length > 0)
    throw unsupported(name, 'a pod with more than one container');
  if (only.envFrom !== undefined) throw unsupported(name, 'envFrom');
  return only;
}

const mountOf = ({ name, mountPath, subPath }: NonNullable<Wire<V1Container>['volumeMounts']>[number]): Mount => ({
  volume: name,
  mountPath,
  ...(subPath === undefined ? {} : { subPath }),
});

const portsOf = (container: Wire<V1Container>): ReadonlyMap<string, number> =>
  new Map((container.ports ?? []).map(({ name, containerPort }) => [name ?? String(containerPort), containerPort]));

function readinessOf(deployment: string, container: Wire<V1Container>): { readonly readiness?: HttpProbe } {
  const probe = container.readinessProbe?.httpGet;
  if (probe === undefined) return {};
  const requested: unknown = probe.port;
  const port = typeof requested === 'string' ? portsOf(container).get(requested) : Number(requested);
  if (port === undefined)
    throw unsupported(deployment, `a probe of port ${String(requested)}, which the container does not name`);
  return { readiness: { path: probe.path ?? '/', port, scheme: probe.scheme === 'HTTPS' ? 'https' : 'http' } };
}
