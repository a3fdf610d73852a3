import type { Clock } from '../base/clock.ts';
import {
  ADMISSION_POLICIES,
  DAEMON_SETS,
  DEPLOYMENTS,
  LEASES,
  NAMESPACES,
  objectKey,
  SECRETS,
  SERVICES,
  WEBHOOK_CONFIGURATIONS,
  type KubernetesObject,
  type ObjectKey,
  type Resource,
  splitKey,
  type WebhookConfiguration,
} from '../base/kubernetes-objects.ts';
import { CERTIFICATE, textIn } from '../certificate/certificate-secret.ts';
import { LOAD_BALANCER_BINDINGS } from '../inventory/binding.ts';
import { CLASSIC_LOAD_BALANCERS, CLOUD_INVENTORIES } from '../inventory/custom-resources.ts';
import type { ClusterReader } from '../kubernetes/cluster-reader.ts';
import { LOAD_BALANCER_EXCEPTIONS, LOAD_BALANCER_POLICIES } from '../policy/custom-resources.ts';
import { VERSION } from '../version.ts';
import { attempt, valueOf, type Attempt } from './read-result.ts';
import type { StatusFacts } from './facts.ts';
import { admittedResult, failedResult, trialService, type TrialResult } from './trial-service.ts';

/** The request of a status, from the flags of the command. */
export interface StatusRequest {
  readonly reader: ClusterReader;
  readonly clock: Clock;
  /** The namespace of the Services to read. Undefined for all namespaces. */
  readonly namespace?: string;
  readonly signal: AbortSignal;
}

/** The label and field selectors of a list. */
type Selectors = Readonly<Record<string, string>>;

const named = ({ plural, group }: Resource): string => (group === '' ? plural : `${plural}.${group}`);
const inNamespace = (namespace: string | undefined): string =>
  namespace === undefined ? '' : ` in namespace ${namespace}`;

/** Reads an object. The result names the missing permission if the read is forbidden. */
export const find = <Kind extends KubernetesObject>(
  { reader, signal }: StatusRequest,
  resource: Resource<Kind>,
  key: ObjectKey,
): Promise<Attempt<Kind>> => {
  const { name, namespace } = splitKey(key);
  const right = `get ${named(resource)} ${name}${inNamespace(namespace)}`;
  return attempt(right, () => reader.find(resource, key, signal), signal);
};

/** Lists the objects of a kind. The result names the missing permission if the read is forbidden. */
export const list = <Kind extends KubernetesObject>(
  { reader, signal }: StatusRequest,
  resource: Resource<Kind>,
  selectors: Selectors = {},
  namespace?: string,
): Promise<Attempt<readonly Kind[]>> => {
  const scope = resource.namespaced && namespace === undefined ? ' in all namespaces' : inNamespace(namespace);
  const read = () => reader.list(resource, selectors, signal, namespace);
  return attempt(`list ${named(resource)}${scope}`, read, signal);
};

/** The label of the workloads of an installation. */
const OURS = 'app.kubernetes.io/name=portcullis';
/** The namespace of an installation without webhook configurations. */
const DEFAULT_NAMESPACE = 'portcullis-system';
/** The name of both webhook configurations. */
const CONFIGURATION = objectKey('portcullis');

/** Returns the namespace of the Service that the webhook configurations name, or the default namespace. */
const namespaceOfWebhook = (configurations: readonly Attempt<WebhookConfiguration>[]): string =>
  configurations.map((read) => valueOf(read)?.webhooks?.[0]?.clientConfig.service?.namespace).find(Boolean) ??
  DEFAULT_NAMESPACE;

/** Sends a trial Service as a dry run, which reaches the webhook and is never stored. */
function review({ reader, signal }: StatusRequest): Promise<Attempt<TrialResult>> {
  const { namespace } = reader;
  const send = (): Promise<TrialResult> =>
    reader.dryRunCreate(SERVICES, trialService(namespace), signal).then(admittedResult, failedResult);
  return attempt(`create services${inNamespace(namespace)}`, send, signal);
}

/** Reads the certificates in the webhook's Secret. The result omits the private key. */
async function servedCertificate(request: StatusRequest, namespace: string): Promise<Attempt<string>> {
  const read = await find(request, SECRETS, objectKey('portcullis-webhook-tls', namespace));
  return read.kind === 'read' ? { kind: 'read', value: textIn(read.value.data, CERTIFICATE) } : read;
}

/** Reads the facts of `portcullis status`. Failures after the first read are part of the facts. */
export async function readCluster(request: StatusRequest): Promise<StatusFacts> {
  const { reader, clock, signal } = request;
  const server = await attempt('get /version', () => reader.serverVersion(signal), signal);
  // The API server is unreachable, or does not accept the credentials.
  if (server.kind === 'failed') throw server.error;
  const webhooks = await Promise.all(WEBHOOK_CONFIGURATIONS.map((resource) => find(request, resource, CONFIGURATION)));
  const namespace = namespaceOfWebhook(webhooks);
  const [installation, resources, others] = await Promise.all([
    readInstallation(request, namespace),
    readResources(request),
    readOthers(request),
  ]);
  return { now: clock.now(), program: VERSION, server, namespace, webhooks, ...installation, ...resources, ...others };
}

type Installation = Pick<StatusFacts, 'deployments' | 'daemonSets' | 'served' | 'review'>;

async function readInstallation(request: StatusRequest, namespace: string): Promise<Installation> {
  const [deployments, daemonSets, served, reviewed] = await Promise.all([
    list(request, DEPLOYMENTS, { labelSelector: OURS }, namespace),
    list(request, DAEMON_SETS, { labelSelector: OURS }, namespace),
    servedCertificate(request, namespace),
    review(request),
  ]);
  return { deployments, daemonSets, served, review: reviewed };
}

type OwnResources = Pick<StatusFacts, 'loadBalancers' | 'bindings' | 'inventories' | 'policies' | 'exceptions'>;

async function readResources(request: StatusRequest): Promise<OwnResources> {
  const [loadBalancers, bindings, inventories, policies, exceptions] = await Promise.all([
    list(request, CLASSIC_LOAD_BALANCERS),
    list(request, LOAD_BALANCER_BINDINGS),
    list(request, CLOUD_INVENTORIES),
    list(request, LOAD_BALANCER_POLICIES),
    list(request, LOAD_BALANCER_EXCEPTIONS),
  ]);
  return { loadBalancers, bindings, inventories, policies, exceptions };
}

type OtherFacts = Pick<StatusFacts, 'lease' | 'services' | 'system' | 'admissionPolicies'>;

async function readOthers(request: StatusRequest): Promise<OtherFacts> {
  const [lease, services, system, admissionPolicies] = await Promise.all([
    find(request, LEASES, objectKey('ccm', 'kube-system')),
    list(request, SERVICES, { fieldSelector: 'spec.type=LoadBalancer' }, request.namespace),
    find(request, NAMESPACES, objectKey('kube-system')),
    list(request, ADMISSION_POLICIES),
  ]);
  return { lease, services, system, admissionPolicies };
}
