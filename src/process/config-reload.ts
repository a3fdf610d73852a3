import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { NO_CLUSTER_ID } from '../base/default-cluster-id.ts';
import {
  CLUSTER_ID_WARNING,
  type CloudConfig,
  type CloudConfigFile,
  type LocatedConfig,
} from '../base/cloud-config.ts';
import { slept } from '../base/deadline.ts';
import { messageOf } from '../base/errors.ts';

/** The time between two reads of the file, in milliseconds. Short enough, because the kubelet needs up to a minute to update a mounted ConfigMap. */
const POLL_MS = 2_000;
/** The time after which an unchanged problem is reported again, in milliseconds, because events expire after an hour. */
export const REMIND_MS = 10 * 60_000;

/** The keys that take effect only after a restart, each with a check for a changed value. */
const FIXED: Readonly<Record<string, (config: CloudConfig, parts: FollowParts) => boolean>> = {
  clusterID: (config, { located }) => config.clusterId !== located.clusterId,
  region: ({ regionId }, { located }) => regionId !== undefined && regionId !== located.regionId,
  vpcid: ({ vpcId }, { located }) => vpcId !== undefined && located.vpcId !== undefined && vpcId !== located.vpcId,
  'the removal of vswitchid': ({ vSwitches }, { written }) => vSwitches.length === 0 && written.vSwitches.length > 0,
  'the feature gate EndpointSlice': ({ featureGates }, { located }) =>
    featureGates.EndpointSlice !== located.featureGates.EndpointSlice,
};

/** Returns the configuration for the controllers: the new values of the file, except keys that need a restart. */
const runnable = (config: CloudConfig, located: LocatedConfig): LocatedConfig => ({
  ...config,
  clusterId: located.clusterId === NO_CLUSTER_ID ? config.clusterId : located.clusterId,
  regionId: located.regionId,
  ...(located.vpcId === undefined ? {} : { vpcId: located.vpcId }),
  vSwitches: config.vSwitches.length === 0 ? located.vSwitches : config.vSwitches,
  featureGates: { ...config.featureGates, EndpointSlice: located.featureGates.EndpointSlice },
});

/** The state of the file, and the reason of its event. */
export type ConfigChange =
  /** The file changed, and the controllers now use it. */
  | 'CloudConfigChanged'
  /** The file is unreadable or invalid, so the previous configuration stays. */
  | 'CloudConfigRejected'
  /** The file changed, but some keys take effect only after a restart. All other keys take effect now. */
  | 'CloudConfigNeedsRestart'
  /** The cluster has no id. */
  | 'ClusterIDMissing';

/** The dependencies of `FollowedConfig`, and the configuration at the start of the process. */
export interface FollowParts {
  /** Reads the file. Rejects with an error whose message describes the problem to users. */
  readonly read: () => Promise<CloudConfigFile>;
  /** The configuration of the file at the start. */
  readonly written: CloudConfig;
  /** The configuration at the start, completed with region, VPC and vSwitch. */
  readonly located: LocatedConfig;
  readonly clock: Clock;
  /** The warnings about keys without effect in the file at the start. */
  readonly warnings: readonly string[];
  /** Receives each later warning about a key without effect, once. */
  readonly warn: (message: string) => void;
  /** Logs a new state of the file. `ClusterIDMissing` is logged at each start of the controllers. */
  readonly note: (change: ConfigChange, message: string) => void;
  /** Records an event about the state. Returns false if this process does not lead, so that the next poll tries again to report a problem. */
  readonly report: (change: ConfigChange, message: string) => boolean;
}

/** Applies changes of the cloud-config file without a restart. Ignores access keys, because each call reads them. */
export class FollowedConfig {
  readonly #parts: FollowParts;
  readonly #warned: Set<string>;
  #current: LocatedConfig;
  #lastMessage = '';
  /** The earliest time of the next event, in monotonic milliseconds. */
  #reportAtMs = 0;
  #change = Promise.withResolvers<undefined>();

  constructor(parts: FollowParts) {
    this.#parts = parts;
    this.#warned = new Set(parts.warnings);
    this.#current = parts.located;
  }

  /** The configuration for the controllers. Each change creates a new object. */
  get current(): LocatedConfig {
    return this.#current;
  }

  /** True if the controllers use all values of the file. */
  get isUpToDate(): boolean {
    return this.#lastMessage === '';
  }

  /** Reads the file every two seconds until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (await slept(this.#parts.clock, POLL_MS, signal)) await this.#poll();
  }

  /**
   * Runs `work`, such as all controllers. After each change of the file, stops and starts `work` with the new configuration. Rejects as `work` does.
   */
  async keepRunning(
    work: (config: LocatedConfig, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    for (let config: LocatedConfig | undefined; config !== this.#current && !signal.aborted;) {
      config = this.#current;
      if (config.clusterId === NO_CLUSTER_ID) this.#announce('ClusterIDMissing', CLUSTER_ID_WARNING);
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
      this.#apply(runnable(config, this.#current));
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

  #apply(next: LocatedConfig): void {
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
