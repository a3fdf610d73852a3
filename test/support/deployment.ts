import type { Container, KubeletDeployment } from '../../src/local/kubelet/container-of-deployment.ts';

type PodSpec = NonNullable<NonNullable<KubeletDeployment['spec']>['template']['spec']>;

/** Returns a Deployment with one container, for unit tests of the sandbox's kubelet. Only relevant fields need to be set. */
export const aDeployment = (
  container: Partial<PodSpec['containers'][number]> = {},
  pod: Partial<PodSpec> = {},
): KubeletDeployment => ({
  metadata: { name: 'portcullis-webhook', namespace: 'portcullis-system' },
  spec: {
    selector: { matchLabels: { app: 'webhook' } },
    template: {
      spec: { serviceAccountName: 'portcullis-webhook', ...pod, containers: [{ name: 'webhook', ...container }] },
    },
  },
});

export const aContainer = (parts: Partial<Container> = {}): Container => ({
  namespace: 'portcullis-system',
  name: 'portcullis-webhook',
  serviceAccount: 'portcullis-webhook',
  command: [],
  args: [],
  env: [],
  mounts: [],
  volumes: [],
  ports: new Map(),
  graceMs: 30_000,
  ...parts,
});
