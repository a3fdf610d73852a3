import assert from 'node:assert/strict';
import type { DeprecatedKeys } from '../../webhook/mutate/mutate.ts';
import type { AdmissionCluster } from './admission-cluster.ts';
import { keysOf, ServiceUnderWriters, type Keys, type Writer } from './annotation-clients.ts';
import { startWebhook } from './webhook-process.ts';

/** A command of a writer, the stored keys after the command, and its warning. */
export interface Step {
  readonly by: Writer;
  /** The keys in the manifest of a writer, or keys that an editor changes. */
  readonly keys: Keys;
  readonly stored: Keys;
  /** Set if the stored object must not change. */
  readonly same?: true;
  readonly warns?: RegExp;
}
export type Steps = readonly Step[];

export const BOTH_DIFFER = /have different values: .* takes effect; remove .* from your manifest/;
export const COPY_STAYS =
  /is removed, and its copy .* stays; to remove the copy: kubectl annotate service .* -n shop .*-/;
export const COPY_REMOVED = /is removed: it was a copy of .*, and no manifest contains either key/;
export const NOTHING_CHANGES = /no change: .* is stored as .*; to remove the annotation: kubectl annotate service/;

/** A Service without either key. */
export const EMPTY: Step = { by: 'create', keys: {}, stored: {} };
async function stored(
  cluster: AdmissionCluster,
  name: string,
  suffix: string,
): Promise<{ readonly keys: Keys; readonly version: string }> {
  const { metadata } = (await cluster.plane.client.get(`/api/v1/namespaces/shop/services/${name}`)) as {
    metadata: { resourceVersion: string; annotations?: Record<string, string> };
  };
  const of = keysOf(suffix);
  const { [of.old]: old, [of.new]: current } = metadata.annotations ?? {};
  const keys = { ...(old === undefined ? {} : { old }), ...(current === undefined ? {} : { new: current }) };
  return { keys, version: metadata.resourceVersion };
}

/** Runs the steps on one Service, on the annotation with this suffix. `others` are further annotations in each manifest. */
export async function runSteps(
  cluster: AdmissionCluster,
  name: string,
  steps: Steps,
  suffix = 'scheduler',
  others: Readonly<Record<string, string>> = {},
): Promise<void> {
  const service = new ServiceUnderWriters(name, cluster.plane, suffix, others);
  let live: { readonly keys: Keys; readonly version?: string } = { keys: {} };
  for (const [index, { by, keys, same, warns, ...step }] of steps.entries()) {
    const done = await service.write(by, keys, live.keys);
    const place = `step ${index + 1}, ${by} ${JSON.stringify(keys)}: ${done?.stderr ?? 'nothing sent'}`;
    assert.equal(done?.code ?? 0, 0, place);
    const now = await stored(cluster, name, suffix);
    assert.deepEqual(now.keys, step.stored, place);
    if (same === true) assert.equal(now.version, live.version, place);
    const output = done?.stderr ?? '';
    const isOld = typeof step.stored.old === 'string' || typeof keys.old === 'string';
    if (same !== true) assert.equal(/is deprecated|have different values/.test(output), isOld, place);
    if (warns !== undefined) assert.match(output, warns, place);
    live = now;
  }
}

/** Starts a webhook with `--deprecated-keys=mode`, and registers it with the API server. */
export async function startInMode(cluster: AdmissionCluster, mode: DeprecatedKeys) {
  const webhook = await startWebhook([...cluster.flags, `--deprecated-keys=${mode}`]);
  await webhook.ready();
  cluster.route(webhook.port);
  // The API server must not skip the webhook on a loaded machine.
  await cluster.register({ change: (hook) => ({ ...hook, failurePolicy: 'Fail', timeoutSeconds: 30 }) });
  return webhook;
}
