import type { SecretData } from '../../certificate/stored.ts';
import { hasReason, PortcullisError } from '../../base/errors.ts';
import {
  objectKey,
  SECRETS,
  SELF_SUBJECT_REVIEWS,
  WEBHOOK_CONFIGURATIONS,
  type Secret,
  type SelfSubjectReview,
  type WebhookConfiguration,
} from '../../base/objects.ts';
import type { KubernetesWriter } from '../port.ts';

const NAMESPACE = 'portcullis-system';
const CONFIGURATION = objectKey('portcullis');
/** Under which API servers call the webhook. */
export const DNS_NAME = 'portcullis-webhook.portcullis-system.svc';
/** Those that cert-manager writes to as well, so that either can go on with what the other has made. */
export const AUTHORITY_SECRET = 'portcullis-authority';
export const SERVING_SECRET = 'portcullis-webhook-tls';
const INJECTED = 'cert-manager.io/inject-ca-from';

/** What is needed of the API server to keep certificates. */
export type CertificateWriter = Pick<KubernetesWriter, 'get' | 'create' | 'mergePatch'>;

/** Everything that is stored of certificates, as it was read at one moment. */
export interface StoredCertificates {
  /** By the API server's clock, milliseconds since the epoch. */
  readonly now: number;
  readonly authority: Secret | undefined;
  readonly serving: Secret | undefined;
  readonly configurations: readonly (WebhookConfiguration & { readonly kind: string })[];
  /** Kinds of webhook configurations that are not there. */
  readonly missing: readonly string[];
  /** Why others could not be read. */
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

/** Rejects when the Secrets cannot be read, and `Conflict` when cert-manager is to write the same. */
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
  for (const { kind, metadata } of found) refuseOthers(kind, metadata.annotations?.[INJECTED]);
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
    'the API server does not say what time it is, by which certificates are dated: no SelfSubjectReview of its own has a creationTimestamp',
  );
}

function refuseOthers(kind: string, injected: string | undefined): void {
  if (injected === undefined) return;
  throw new PortcullisError(
    'Conflict',
    `${kind} portcullis has the annotation ${INJECTED}, by which cert-manager writes its authority there: apply the component self-managed-certificates, which takes it away, or start the controller without --self-managed-certificates`,
  );
}

const encoded = (data: Readonly<Record<string, string>>): SecretData =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));

/**
 * Puts all of it into a Secret at once, and leaves its other keys alone. `before` is the Secret as it was read, if there was one: rejects
 * `Conflict` when it is another one by now.
 */
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
  const { resourceVersion } = before.metadata;
  const patch = { metadata: { resourceVersion }, data: encoded(data) };
  await writer.mergePatch(SECRETS, objectKey(name, NAMESPACE), patch, {}, signal);
}

/** Has all webhooks of a configuration trust what is in a PEM bundle. Rejects `Conflict` when it is another one than was read. */
export async function writeTrust(
  writer: CertificateWriter,
  { kind, metadata, webhooks = [] }: WebhookConfiguration & { readonly kind: string },
  bundle: string,
  signal: AbortSignal,
): Promise<void> {
  const resource = WEBHOOK_CONFIGURATIONS.find((one) => one.kind === kind);
  if (resource === undefined) throw new PortcullisError('Bug', `${kind} is no kind of webhook configurations`);
  const caBundle = Buffer.from(bundle).toString('base64');
  // A merge patch replaces lists: it is conditional, so that it carries what is there.
  const changed = webhooks.map((webhook) => ({ ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } }));
  const patch = { metadata: { resourceVersion: metadata.resourceVersion }, webhooks: changed };
  await writer.mergePatch(resource, CONFIGURATION, patch, {}, signal);
}
