import { z } from 'zod';
import { selected, type ChartObject, type Target } from './kustomization.ts';
import type { Json } from './template-node.ts';

/** Returns the value of a manifest at a path, for defaults of the chart. */
export function manifestValue(
  objects: readonly ChartObject[],
  target: Target,
  path: readonly (string | number)[],
): Json {
  const [object] = selected(objects, target);
  const found = path.reduce<unknown>(
    (value, key) => (value as Readonly<Record<string | number, unknown>> | undefined)?.[key],
    object?.manifest,
  );
  if (found === undefined) throw new Error(`no ${path.join('.')} in the manifests`);
  return found as Json;
}

const objectList = z.array(z.looseObject({}));
const quantities = z.record(z.string(), z.union([z.string(), z.number()]));
const text = z.string().min(1);
const account = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Returns the fields of both processes. */
const processFields = (process: string, objects: readonly ChartObject[]) => ({
  resources: z
    .strictObject({ requests: quantities.optional(), limits: quantities.optional() })
    .default(
      manifestValue(objects, { kind: 'Deployment', name: `portcullis-${process}` }, [
        ...['spec', 'template', 'spec', 'containers', 0, 'resources'],
      ]) as object,
    )
    .describe('Requests and limits. NODE_OPTIONS sets a heap that fits the memory limit: change both.'),
  extraArgs: z
    .array(z.string().regex(/^--[a-z0-9-]+(=.*)?$/s))
    .default([])
    .describe(`Further flags, as in "portcullis ${process} --help". The last of repeated flags applies.`),
  extraEnv: objectList.default([]).describe('Further environment variables, as in the specification of a container.'),
  nodeSelector: z.record(z.string(), z.string()).default({}).describe('Further labels of the Nodes for the pods.'),
  tolerations: objectList.default([]).describe('Further tolerations of the pods.'),
  podAnnotations: z.record(z.string(), z.string()).default({}).describe('Further annotations of the pods.'),
});

/** The keys of the cloud-config file, without those of the access key: values of Helm are not secret. */
const cloudConfig = z
  .strictObject({
    clusterID: text.optional(),
    region: z
      .string()
      .regex(/^[a-z]{2}-[a-z0-9-]+$/)
      .optional(),
    vpcid: z
      .string()
      .regex(/^vpc-[0-9A-Za-z-]+$/)
      .optional(),
    vswitchid: text.optional(),
    routeTableIDs: text.optional(),
    resourceGroupID: z
      .string()
      .regex(/^rg-[0-9A-Za-z-]+$/)
      .optional(),
    serviceBackendType: z.enum(['ecs', 'eni']).optional(),
    disablePublicSLB: z.boolean().optional(),
    serviceMaxConcurrentReconciles: z.int().min(1).max(100).optional(),
    featureGates: text.optional(),
  })
  .default({})
  .describe(
    'The keys of the cloud-config file, for example region and vpcid. If empty, create the ConfigMap portcullis-cloud-config yourself.',
  );

/**
 * Returns the schema of the Helm chart's values, with defaults from the manifests. The files values.yaml and values.schema.json are generated from
 * the schema.
 */
export const valuesSchema = (objects: readonly ChartObject[]) => {
  const peers = (direction: 'ingress' | 'egress', rule: number, side: 'from' | 'to') =>
    z
      .array(z.looseObject({}))
      .min(1)
      .default(
        manifestValue(objects, { kind: 'NetworkPolicy', name: 'portcullis-webhook' }, [
          ...['spec', direction, rule, side],
        ]) as unknown as Record<string, unknown>[],
      );
  return z.strictObject({
    image: z.strictObject({
      repository: text.default('portcullis').describe('The image of both processes, without a tag.'),
      tag: z.string().default('').describe('The tag of the image. Default: the version of the chart.'),
      digest: z
        .string()
        .regex(/^(sha256:[0-9a-f]{64})?$/)
        .default('')
        .describe('The digest of the image. It replaces the tag.'),
      pullPolicy: z.enum(['IfNotPresent', 'Always', 'Never']).default('IfNotPresent'),
      pullSecrets: z
        .array(z.strictObject({ name: text }))
        .default([])
        .describe('Secrets for the registry, as in "- name: registry".'),
    }),
    profile: z
      .enum(['default', 'rollout', 'strict'])
      .default('default')
      .describe(
        'default: while no webhook answers, requests pass. rollout: every tunable rule only warns. strict: while no webhook answers, no Service of type LoadBalancer is stored.',
      ),
    selfManagedCluster: z
      .boolean()
      .default(false)
      .describe(
        'For a cluster that you installed on ECS: the controller runs on control-plane Nodes and their network, and creates routes to pods.',
      ),
    clusterCidr: z.string().default('').describe('The range of pod addresses, for selfManagedCluster.'),
    cloudConfig,
    credentials: z.strictObject({
      source: z
        .enum(['access-key', 'rrsa', 'instance-role'])
        .default('access-key')
        .describe(
          'access-key: the Secret portcullis-access-key, which you create. rrsa: a RAM role that trusts the service account. instance-role: the RAM role of the ECS instance; the controller then uses the network of its Node.',
        ),
      roleArn: z.string().default('').describe('For rrsa. If empty, create the ConfigMap portcullis-rrsa yourself.'),
      oidcProviderArn: z.string().default('').describe('For rrsa.'),
    }),
    protectedLoadBalancers: z
      .array(z.string().regex(/^lb-[0-9A-Za-z-]+$/))
      .default([])
      .describe('Load balancers that no Service may use, such as the load balancer of the API server.'),
    controller: z.strictObject({
      replicas: z
        .int()
        .min(0)
        .max(10)
        .default(
          manifestValue(objects, { kind: 'Deployment', name: 'portcullis-controller' }, ['spec', 'replicas']) as number,
        )
        .describe('One pod leads. Zero if the controller runs outside the cluster.'),
      controlPlane: z
        .boolean()
        .default(false)
        .describe('A DaemonSet with one pod on each control-plane Node, instead of a Deployment.'),
      hostNetwork: z
        .boolean()
        .default(false)
        .describe('Use the network of the Node. The namespace must then allow the Pod Security profile privileged.'),
      ...processFields('controller', objects),
    }),
    webhook: z.strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe('If false, admission policies enforce the rules that CEL can express.'),
      replicas: z.int().min(1).max(20).nullable().default(null).describe('Default: 2, or 3 with the profile strict.'),
      keepDeprecatedKeys: z
        .boolean()
        .default(false)
        .describe('Keep deprecated keys for every writer, in addition to the current keys.'),
      requireClientCertificates: z
        .boolean()
        .default(false)
        .describe(
          'Answer only API servers. Their authority is in the ConfigMap portcullis-api-server-ca, which you create.',
        ),
      ...processFields('webhook', objects),
    }),
    certificates: z.strictObject({
      issuer: z
        .enum(['cert-manager', 'controller'])
        .default('cert-manager')
        .describe('What issues the certificate of the webhook.'),
      injector: z
        .strictObject({
          name: z.string().regex(account).default('cert-manager-cainjector'),
          namespace: z.string().regex(account).default('cert-manager'),
        })
        .describe("The service account of cert-manager's injector."),
    }),
    metrics: z
      .enum(['none', 'prometheus-operator', 'annotations'])
      .default('none')
      .describe(
        'prometheus-operator: PodMonitors, alerts and a dashboard. annotations: annotations of the pods for other Prometheus servers.',
      ),
    networkPolicy: z.strictObject({
      enabled: z.boolean().default(false).describe('Limit the sources and destinations of both processes.'),
      apiServers: peers('ingress', 0, 'from').describe('The addresses of the API servers.'),
      prometheus: peers('ingress', 1, 'from').describe('The pods of Prometheus.'),
    }),
    crds: z.strictObject({
      keep: z
        .boolean()
        .default(true)
        .describe('Keep the custom resource definitions, and with them policies and bindings, after "helm uninstall".'),
    }),
    namespace: z.strictObject({
      create: z
        .boolean()
        .default(false)
        .describe(
          'Add the Namespace portcullis-system, for "helm template". A release cannot contain its own namespace.',
        ),
    }),
  });
};
