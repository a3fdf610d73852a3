import assert from 'node:assert/strict';
import type { AdmissionCluster } from './admission-cluster.ts';
import type { LoadReport } from './admission-load.ts';
import { servingCertificate } from './serving-certificate.ts';
import type { SpawnOptions } from './webhook-process.ts';
import type { WebhookReplicas } from './webhook-replicas.ts';

/** Lets the API server wait for as long as a machine under load may need: that it is slow is not what is tried. */
export const patient = (hook: Record<string, unknown>): Record<string, unknown> => ({ ...hook, timeoutSeconds: 30 });

/** Makes it deny what no webhook has judged. */
export const failing = (hook: Record<string, unknown>): Record<string, unknown> => ({
  ...patient(hook),
  failurePolicy: 'Fail',
});

const NAMES = { commonName: 'portcullis-webhook', dnsNames: ['portcullis-webhook.portcullis-system.svc'] };

/**
 * Replaces every replica, as a Deployment with `maxSurge: 1` and `maxUnavailable: 0` does: a new one serves before an old one goes.
 * Answers the exit codes of the old ones, which serve on for a while.
 */
async function rollingRestart(
  replicas: WebhookReplicas,
  options: SpawnOptions,
): Promise<readonly Promise<number | null>[]> {
  const leaving: Promise<number | null>[] = [];
  for (const old of replicas.running) {
    await replicas.add(options);
    leaving.push(replicas.retire(old));
  }
  return leaving;
}

/** That many, one after the other, the new ones started as told. Resolves when the last one to leave has left. */
export async function rollingRestarts(
  replicas: WebhookReplicas,
  times: number,
  options: SpawnOptions = {},
): Promise<void> {
  const leaving: Promise<number | null>[] = [];
  for (let n = 0; n < times; n += 1) leaving.push(...(await rollingRestart(replicas, options)));
  for (const code of await Promise.all(leaving)) assert.equal(code, 0);
}

/** Renews the serving certificate of every replica, one after the other, as kubelets do in their own time. */
export const rotateCertificate = async (replicas: WebhookReplicas): Promise<void> =>
  replicas.renew(await replicas.authority.issue({ ...NAMES, usage: 'server' }));

/** Has another authority sign: it is trusted before it is used, and the old one until it is used no more. */
export async function rotateAuthority(cluster: AdmissionCluster, replicas: WebhookReplicas): Promise<void> {
  const next = await servingCertificate();
  const [before, after] = [replicas.authority.certificate, next.authority.certificate];
  await cluster.register({ change: failing, authorities: [before, after] });
  await replicas.renew(next);
  await cluster.register({ change: failing, authorities: [after] });
  replicas.authority = next.authority;
}

/** Every write was judged by both webhooks. */
export function assertAllJudged({ failures, failedOpen, answered }: LoadReport): void {
  assert.deepEqual([...new Set(failures)], []);
  assert.equal(failedOpen, 0);
  assert.ok(answered > 0);
}
