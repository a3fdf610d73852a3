import assert from 'node:assert/strict';
import type { AdmissionCluster } from './admission-cluster.ts';
import type { LoadReport } from './admission-load.ts';
import { servingCertificate } from './serving-certificate.ts';
import type { SpawnOptions } from './webhook-process.ts';
import type { WebhookReplicas } from './webhook-replicas.ts';

/** Returns a hook with a timeout for a loaded machine, because latency is not under test. */
export const patient = (hook: Record<string, unknown>): Record<string, unknown> => ({ ...hook, timeoutSeconds: 30 });

/** Returns a hook that denies requests without an answer of the webhook. */
export const failing = (hook: Record<string, unknown>): Record<string, unknown> => ({
  ...patient(hook),
  failurePolicy: 'Fail',
});

const NAMES = { commonName: 'portcullis-webhook', dnsNames: ['portcullis-webhook.portcullis-system.svc'] };

/** Replaces every replica like a Deployment with `maxSurge: 1` and `maxUnavailable: 0`. Returns the exit codes of the old replicas. */
async function rollingRestart(
  replicas: WebhookReplicas,
  options: SpawnOptions,
): Promise<readonly Promise<number | null>[]> {
  const exits: Promise<number | null>[] = [];
  for (const old of replicas.running) {
    await replicas.add(options);
    exits.push(replicas.retire(old));
  }
  return exits;
}

/** Runs `times` rolling restarts in sequence with these options. Resolves when the last old replica has exited. */
export async function rollingRestarts(
  replicas: WebhookReplicas,
  times: number,
  options: SpawnOptions = {},
): Promise<void> {
  const exits: Promise<number | null>[] = [];
  for (let n = 0; n < times; n += 1) exits.push(...(await rollingRestart(replicas, options)));
  for (const code of await Promise.all(exits)) assert.equal(code, 0);
}

/** Renews the serving certificate of every replica in sequence, as kubelets do at different times. */
export const rotateCertificate = async (replicas: WebhookReplicas): Promise<void> =>
  replicas.renew(await replicas.authority.issue({ ...NAMES, usage: 'server' }));

/** Replaces the authority. The new authority is trusted before its first use, and the old one until its last use. */
export async function rotateAuthority(cluster: AdmissionCluster, replicas: WebhookReplicas): Promise<void> {
  const next = await servingCertificate();
  const [before, after] = [replicas.authority.certificate, next.authority.certificate];
  await cluster.register({ change: failing, authorities: [before, after] });
  await replicas.renew(next);
  await cluster.register({ change: failing, authorities: [after] });
  replicas.authority = next.authority;
}

/** Asserts that the mutating and the validating webhook evaluated every write. */
export function assertAllEvaluated({ failures, failedOpen, answered }: LoadReport): void {
  assert.deepEqual([...new Set(failures)], []);
  assert.equal(failedOpen, 0);
  assert.ok(answered > 0);
}
