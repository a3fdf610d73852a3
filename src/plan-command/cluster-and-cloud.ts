import { Registry } from 'prom-client';
import { reachCloud, type CloudFlags, type ReachedCloud } from '../process/cloud-connection.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { readCloudConfig } from '../base/cloud-config.ts';
import { openReader, type ClusterReader } from '../kubernetes/cluster-reader.ts';
import type { Logger } from '../base/log.ts';

/** The flags of `plan` or `graph` for the access to cloud and cluster, with the logger and the stop signal. */
export interface ReachRequest {
  readonly config: CloudFlags;
  /** The kubeconfig file; if undefined, the file that `kubectl` uses. */
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The clients for the cloud and the cluster. */
export interface ReachedCluster extends ReachedCloud {
  readonly reader: ClusterReader;
  readonly clock: Clock;
}

/** Opens the cluster and the cloud; the cloud client blocks all writes. The caller must dispose of the reader. */
export async function reachBoth(request: ReachRequest): Promise<ReachedCluster> {
  const { config, environment, log, signal } = request;
  const clock = systemClock;
  const { config: read } = await readCloudConfig(config.cloudConfig);
  const base = { clock, log, registry: new Registry(), guard: () => false, isReadOnly: true };
  const reached = await reachCloud(config, read, environment, base, signal);
  return { ...reached, clock, reader: await openReader({ ...request, clock, component: 'portcullis-plan' }) };
}
