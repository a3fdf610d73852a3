import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { NO_CLUSTER_ID } from '../base/cluster-id.ts';
import { NAMELESS, type CloudConfig, type CloudConfigFile, type LocatedConfig } from '../base/cloud-config.ts';
import { slept } from '../base/deadline.ts';
import { messageOf } from '../base/errors.ts';

/** The milliseconds between two reads of the file. The kubelet needs up to a minute to update a ConfigMap. */
const POLL_MS = 2_000;
/** The milliseconds after which an unchanged state is reported again. An event can be lost, and expires. */
export const REMIND_MS = 10 * 60_000;

/** The keys that need a restart, each with a check for a difference between file and process. A first cluster id takes effect at once. */
const FIXED: Readonly<Record<string, (config: CloudConfig, parts: FollowParts) => boolean>> = {
  clusterID: (config, { located }) => config.clusterId !== located.clusterId,
  region: ({ regionId }, { located }) => regionId !== undefined && regionId !== located.regionId,
  vpcid: ({ vpcId }, { located }) => vpcId !== undefined && located.vpcId !== undefined && vpcId !== located.vpcId,
  'the removal of vswitchid': ({ vSwitches }, { written }) => vSwitches.length === 0 && written.vSwitches.length > 0,
  'the feature gate EndpointSlice': ({ featureGates }, { located }) =>
    featureGates.EndpointSlice !== located.featureGates.EndpointSlice,
};

/** Returns the configuration to run: the file with the location and cluster id of the process. The file may only supply a missing id. */
const runnable = (config: CloudConfig, located: LocatedConfig): LocatedConfig => ({
  ...config,
  clusterId: located.clusterId === NO_CLUSTER_ID ? config.clusterId : located.clusterId,
  regionId: located.regionId,
  ...(located.vpcId === undefined ? {} : { vpcId: located.vpcId }),
  vSwitches: config.vSwitches.length === 0 ? located.vSwitches : config.vSwitches,
  featureGates: { ...config.featureGates, EndpointSlice: located.featureGates.EndpointSlice },
});

/** The difference between the file and the running configuration. */
export type ConfigChange =
  /** The controllers now run with the file. */
  | 'CloudConfigChanged'
  /** The file is unreadable or invalid, so the previous configuration stays. */
  | 'CloudConfigRejected'
  /** Some keys take effect only after a restart; all other keys take effect now. */
  | 'CloudConfigNeedsRestart'
  /** The cluster has no id. */
  | 'ClusterIDMissing';

export interface FollowParts {
  /** Reads the file; rejects with a readable message. */
  readonly read: () => Promise<CloudConfigFile>;
  /** The configuration of the file at the start. */
  readonly written: CloudConfig;
  /** The configuration at the start with its location, which stays fixed. */
  readonly located: LocatedConfig;
  readonly clock: Clock;
  /** The warnings at the start about keys without effect. */
  readonly warnings: readonly string[];
  /** Receives the warning about each such key that is added later, once. */
  readonly warn: (message: string) => void;
  /** Receives each state of the file once. Receives `ClusterIDMissing` at each start of the controllers. */
  readonly note: (change: ConfigChange, message: string) => void;
  /** Reports the state to the cluster. Returns false if this process must not report it; the call is then repeated while the state lasts. */
  readonly report: (change: ConfigChange, message: string) => boolean;
}

/** Watches the cloud-config file. Access keys are not part of it, because each call reads them. */
export class FollowedConfig {
  readonly #parts: FollowParts;
  readonly #warned: Set<string>;
  #current: LocatedConfig;
  #lastMessage = '';
  /** The time of the next report to the cluster, by the monotonic clock. */
  #reportAtMs = 0;
  #change = Promise.withResolvers<undefined>();

  constructor(parts: FollowParts) {
    this.#parts = parts;
    this.#warned = new Set(parts.warnings);
    this.#current = parts.located;
  }

  /** The configuration to run. Each change creates a new object. */
  get current(): LocatedConfig {
    return this.#current;
  }

  /** True if the running configuration matches the file. */
  get isUpToDate(): boolean {
    return this.#lastMessage === '';
  }

  /** Reads the file repeatedly until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (await slept(this.#parts.clock, POLL_MS, signal)) await this.#poll();
  }

  /** Runs `work` with the current configuration. After each change, ends the running work and starts again. Rejects as `work` does. */
  async keepRunning(
    work: (config: LocatedConfig, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    for (let config: LocatedConfig | undefined; config !== this.#current && !signal.aborted;) {
      config = this.#current;
      if (config.clusterId === NO_CLUSTER_ID) this.#announce('ClusterIDMissing', NAMELESS);
      const round = new AbortController();
      const running = work(config, AbortSignal.any([signal, round.signal]));
      await Promise.race([running, this.#change.promise]);
      round.abort(new Error('the cloud-config file changed'));
      await running;
    }
  }

  async #poll(): Promise<void> {
    try {
      const { config, warnings } = await this.#parts.read();
      for (const warning of warnings.filter((each) => !this.#warned.has(each))) {
        this.#warned.add(warning);
        this.#parts.warn(warning);
      }
      this.#take(runnable(config, this.#current));
      const parts = { ...this.#parts, located: this.#current };
      const fixed = Object.keys(FIXED).filter((key) => FIXED[key]?.(config, parts) === true);
      if (fixed.length === 0) this.#lastMessage = '';
      else
        this.#report(
          'CloudConfigNeedsRestart',
          `a change of the cloud-config file takes effect only after a restart: ${fixed.join(', ')}; restart the controller`,
        );
    } catch (error) {
      this.#report('CloudConfigRejected', `${messageOf(error)}; the previous configuration stays in effect`);
    }
  }

  #take(next: LocatedConfig): void {
    if (isDeepStrictEqual(next, this.#current)) return;
    this.#current = next;
    this.#change.resolve(undefined);
    this.#change = Promise.withResolvers();
    this.#announce(
      'CloudConfigChanged',
      'the cloud-config file changed: the controllers restart with the new configuration',
    );
  }

  #report(change: ConfigChange, message: string): void {
    const now = this.#parts.clock.monotonic();
    if (message !== this.#lastMessage) {
      this.#lastMessage = message;
      this.#reportAtMs = now;
      this.#parts.note(change, message);
    }
    if (now >= this.#reportAtMs && this.#parts.report(change, message)) this.#reportAtMs = now + REMIND_MS;
  }

  #announce(change: ConfigChange, message: string): void {
    this.#parts.note(change, message);
    this.#parts.report(change, message);
  }
}
