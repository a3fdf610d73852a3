import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { PortcullisError, hasReason } from '../../base/errors.ts';
import type { ApiClient } from '../api-client.ts';
import { run } from '../external-command.ts';
import { repositoryRoot } from '../repository.ts';
import { cloudConfig, type SeedAccessKey } from '../seed.ts';
import { NAMESPACE } from '../sandbox-record.ts';
import type { Prepared } from './sandbox-folder-creation.ts';

/** The folder of the manifests with which `make up` installs Portcullis. */
export const OVERLAY = 'kustomize/overlays/local';

/** Installs Portcullis with `kubectl apply --kustomize`, as a user does. */
export async function applyManifests({ record, tools }: Prepared, signal: AbortSignal): Promise<void> {
  await run(tools.kubectl, ['apply', '--kustomize', join(repositoryRoot(), OVERLAY)], {
    env: record.environment,
    signal,
  });
}

/** Creates the two objects that the overlay lacks: the cloud configuration, and the access key, which differs between sandboxes. */
export async function applyCloudAccess(client: ApiClient, key: SeedAccessKey, signal: AbortSignal): Promise<void> {
  const base = `/api/v1/namespaces/${NAMESPACE}`;
  await client.apply(
    `${base}/configmaps/portcullis-cloud-config`,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'portcullis-cloud-config' },
      data: { 'cloud-config.conf': cloudConfig() },
    },
    signal,
  );
  await client.apply(
    `${base}/secrets/portcullis-access-key`,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'portcullis-access-key' },
      stringData: { 'access-key-id': key.id, 'access-key-secret': key.secret },
    },
    signal,
  );
}

const PREFIX = 'service.beta.kubernetes.io';

const service = (annotations: Readonly<Record<string, string>>): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { generateName: 'in-force-', annotations },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
});

const DRY_RUN = '/api/v1/namespaces/default/services?dryRun=All';
const DENIED = service({ [`${PREFIX}/alibaba-cloud-loadbalancer-address-type`]: 'nowhere' });
const DEPRECATED = service({ [`${PREFIX}/alicloud-loadbalancer-name`]: 'in-force' });
const CURRENT_KEY = `${PREFIX}/alibaba-cloud-loadbalancer-name`;
const POLL_MS = 100;
const ACTIVATION_MS = 30_000;

/** Returns whether the API server calls both webhooks. Dry runs show if an invalid Service is denied, and if a deprecated annotation is rewritten. */
async function isActive(client: ApiClient, signal: AbortSignal): Promise<boolean> {
  try {
    await client.create(DRY_RUN, DENIED, signal);
    return false;
  } catch (error) {
    if (!hasReason(error, 'Rejected') || error.code !== '422') throw error;
  }
  const created = (await client.create(DRY_RUN, DEPRECATED, signal)) as {
    readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  };
  return created.metadata.annotations?.[CURRENT_KEY] !== undefined;
}

/** Waits until the API server calls both webhooks, because the API server applies a new webhook configuration with a delay. */
export async function untilActive(client: ApiClient, signal: AbortSignal): Promise<void> {
  const end = systemClock.monotonic() + ACTIVATION_MS;
  while (!(await isActive(client, signal))) {
    if (systemClock.monotonic() >= end) {
      throw new PortcullisError(
        'Unavailable',
        `the API server did not call the webhook within ${ACTIVATION_MS / 1000} s: see the logs of kube-apiserver, cert-manager, kubelet and webhook`,
      );
    }
    await systemClock.sleep(POLL_MS, signal);
  }
}
