import type { SecretData } from '../../certificate/certificate-secret.ts';
import { hasReason, PortcullisError } from '../../base/errors.ts';
import {
  objectKey,
  SECRETS,
  SELF_SUBJECT_REVIEWS,
  WEBHOOK_CONFIGURATIONS,
  type Secret,
  type SelfSubjectReview,
  type WebhookConfiguration,
} from '../../base/kubernetes-objects.ts';
import type { KubernetesWriter } from '../kubernetes-interface.ts';

const NAMESPACE = 'portcullis-system';
const CONFIGURATION = objectKey('portcullis');
/** The DNS name of the webhook, which API servers verify in the certificate. */
export const DNS_NAME = 'portcullis-webhook.portcullis-system.svc';
/** The names of the Secrets. cert-manager uses equal names, so a cluster can switch between cert-manager and self-managed certificates. */
export const AUTHORITY_SECRET = 'portcullis-authority';
export const SERVING_SECRET = 'portcullis-webhook-tls';
/** The annotation that makes cert-manager write its authority to a webhook configuration. */
const INJECTED = 'cert-manager.io/inject-ca-from';

/** The access to the API server that the management of certificates needs. */
export type CertificateWriter = Pick<KubernetesWriter, 'get' | 'create' | 'mergePatch'>;

/** The stored certificates and webhook configurations, read in one reconcile. */
export interface StoredCertificates {
  /** The time of the API server's clock, in milliseconds since the epoch. */
  readonly now: number;
  readonly authority: Secret | undefined;
  readonly serving: Secret | undefined;
  readonly configurations: readonly (WebhookConfiguration & { readonly kind: string })[];
  /** The kinds of webhook configurations that do not exist. */
  readonly missing: readonly string[];
  /** The errors of the webhook configurations that could not be read. */
  readonly failures: readonly unknown[];
}

async function orAbsent<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Reads the stored certificates. Rejects with `Conflict` if cert-manager is configured to write the webhook configurations. */
export async function readCertificates(writer: CertificateWriter, signal: AbortSignal): Promise<StoredCertificates> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const secret = (name: string): Promise<Secret | undefined> =>
    orAbsent(writer.get(SECRETS, objectKey(name, NAMESPACE), signal));
  const [dated, authority, serving, ...answers] = await Promise.all([
    writer.create<SelfSubjectReview>(SELF_SUBJECT_REVIEWS, review, signal),
    secret(AUTHORITY_SECRET),
    secret(SERVING_SECRET),
    ...WEBHOOK_CONFIGURATIONS.map(async (resource) => {
      const [answer] = await Promise.allSettled([orAbsent(writer.get(resource, CONFIGURATION, signal))]);
      return { kind: resource.kind, answer };
    }),
  ]);
  const found = answers.flatMap(({ kind, answer }) =>
    answer.status === 'fulfilled' && answer.value !== undefined ? [{ ...answer.value, kind }] : [],
  );
  for (const { kind, metadata } of found) rejectInjected(kind, metadata.annotations?.[INJECTED]);
  return {
    now: timeIn(dated),
    authority,
    serving,
    configurations: found,
    missing: answers.flatMap(({ kind, answer }) =>
      answer.status === 'fulfilled' && answer.value === undefined ? [kind] : [],
    ),
    failures: answers.flatMap(({ answer }): unknown[] => (answer.status === 'rejected' ? [answer.reason] : [])),
  };
}

function timeIn({ metadata: { creationTimestamp = '' } }: SelfSubjectReview): number {
  const now = Date.parse(creationTimestamp);
  if (Number.isFinite(now)) return now;
  throw new PortcullisError(
    'Unavailable',
    'the time for certificates is unknown, because the API server returned a SelfSubjectReview without creationTimestamp',
  );
}

function rejectInjected(kind: string, injected: string | undefined): void {
  if (injected === undefined) return;
  throw new PortcullisError(
    'Conflict',
    `${kind} portcullis has the annotation ${INJECTED}, so cert-manager writes its authority there; apply the component self-managed-certificates, which removes the annotation, or start the controller without --self-managed-certificates`,
  );
}

const encoded = (data: Readonly<Record<string, string>>): SecretData =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));

/** Creates a Secret, or replaces only the keys of `data` in the Secret `before`. */
export async function writeSecret(
  writer: CertificateWriter,
  name: string,
  before: Secret | undefined,
  data: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  if (before === undefined) {
    const labels = { 'app.kubernetes.io/name': 'portcullis', 'app.kubernetes.io/component': 'webhook' };
    const metadata = { name, namespace: NAMESPACE, labels };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls', data: encoded(data) };
    await writer.create(SECRETS, secret, signal);
    return;
  }
  // If the Secret has changed since the read, the resource version causes `Conflict`.
  const { resourceVersion } = before.metadata;
  const patch = { metadata: { resourceVersion }, data: encoded(data) };
  await writer.mergePatch(SECRETS, objectKey(name, NAMESPACE), patch, {}, signal);
}

/** Writes the authorities of a PEM bundle to all webhooks of a configuration. Rejects with `Conflict` if the configuration changed after the read. */
export async function writeTrust(
  writer: CertificateWriter,
  { kind, metadata, webhooks = [] }: WebhookConfiguration & { readonly kind: string },
  bundle: string,
  signal: AbortSignal,
): Promise<void> {
  const resource = WEBHOOK_CONFIGURATIONS.find((one) => one.kind === kind);
  if (resource === undefined) throw new PortcullisError('Bug', `${kind} is not a kind of webhook configuration`);
  const caBundle = Buffer.from(bundle).toString('base64');
  // A merge patch replaces the whole list of webhooks, so the resource version must prevent the loss of concurrent changes.
  const changed = webhooks.map((webhook) => ({ ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } }));
  const patch = { metadata: { resourceVersion: metadata.resourceVersion }, webhooks: changed };
  await writer.mergePatch(resource, CONFIGURATION, patch, {}, signal);
}
