import { Registry } from 'prom-client';
import { reachCloud, type CloudFlags, type ReachedCloud } from '../process/reach-cloud.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { readCloudConfig } from '../base/cloud-config.ts';
import { openReader, type Reader } from '../kubernetes/reader.ts';
import type { Logger } from '../base/log.ts';

/** How a command reaches the cloud and the cluster. */
export interface ReachRequest {
  readonly config: CloudFlags;
  /** As kubectl chooses, where absent. */
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export interface Reached extends ReachedCloud {
  readonly reader: Reader;
  readonly clock: Clock;
}

/** Opens the cluster, and the cloud behind a door that lets no changing call pass. The caller disposes of the reader. */
export async function reachBoth(request: ReachRequest): Promise<Reached> {
  const { config, environment, log, signal } = request;
  const clock = systemClock;
  const { config: read } = await readCloudConfig(config.cloudConfig);
  const base = { clock, log, registry: new Registry(), guard: () => false, isReadOnly: true };
  const reached = await reachCloud(config, read, environment, base, signal);
  return { ...reached, clock, reader: await openReader({ ...request, clock, component: 'portcullis-plan' }) };
}
