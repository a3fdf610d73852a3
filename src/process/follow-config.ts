import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { NO_CLUSTER_ID } from '../base/cluster-id.ts';
import { NAMELESS, type CloudConfig, type CloudConfigFile, type LocatedConfig } from '../base/cloud-config.ts';
import { slept } from '../base/deadline.ts';
import { messageOf } from '../base/errors.ts';

/** Milliseconds between two looks at the file. A ConfigMap takes the kubelet up to a minute to bring. */
const LOOK_MS = 2_000;
/** Milliseconds after which it is told again how the file stands, while it stands so: an event may be lost, and does not last. */
export const REMIND_MS = 10 * 60_000;

/** What counts only from the next start: key → whether the file says otherwise now than what runs. An id counts where there was none. */
const FIXED: Readonly<Record<string, (config: CloudConfig, parts: FollowParts) => boolean>> = {
  clusterID: (config, { located }) => config.clusterId !== located.clusterId,
  region: ({ regionId }, { located }) => regionId !== undefined && regionId !== located.regionId,
  vpcid: ({ vpcId }, { located }) => vpcId !== undefined && located.vpcId !== undefined && vpcId !== located.vpcId,
  'vswitchid, taken away,': ({ vSwitches }, { written }) => vSwitches.length === 0 && written.vSwitches.length > 0,
  'the gate EndpointSlice': ({ featureGates }, { located }) =>
    featureGates.EndpointSlice !== located.featureGates.EndpointSlice,
};

/** What the controllers are to run with: the file, in the place and with the identity that they have. */
const runnable = (config: CloudConfig, located: LocatedConfig): LocatedConfig => ({
  ...config,
  clusterId: located.clusterId === NO_CLUSTER_ID ? config.clusterId : located.clusterId,
  regionId: located.regionId,
  ...(located.vpcId === undefined ? {} : { vpcId: located.vpcId }),
  vSwitches: config.vSwitches.length === 0 ? located.vSwitches : config.vSwitches,
  featureGates: { ...config.featureGates, EndpointSlice: located.featureGates.EndpointSlice },
});

/** How the file stands to what runs. */
export type ConfigChange =
  /** The controllers run with it from now on. */
  | 'CloudConfigChanged'
  /** It cannot be read, or not be understood; what was before stays. */
  | 'CloudConfigRejected'
  /** Some of it counts only after a restart; the rest counts now. */
  | 'CloudConfigNeedsRestart'
  /** The cluster has no id. */
  | 'ClusterIDMissing';

export interface FollowParts {
  /** The file as it is now; rejects with a sentence. */
  readonly read: () => Promise<CloudConfigFile>;
  /** What the file said at the start. */
  readonly written: CloudConfig;
  /** The same with its place filled in, which stays. */
  readonly located: LocatedConfig;
  readonly clock: Clock;
  /** What the file said at the start of keys that have no effect. */
  readonly warnings: readonly string[];
  /** Told of each such key that is added, once. */
  readonly warn: (message: string) => void;
  /** Told once of each state of the file; that the cluster has no id, each time that the controllers start. */
  readonly note: (news: ConfigChange, message: string) => void;
  /** Tells the cluster of the same. Answers whether that is this process's to do: as long as it is not, it is asked again while the state lasts. */
  readonly tell: (news: ConfigChange, message: string) => boolean;
}

/** The cloud-config file while the process runs. Keys in it are no part of this: they count from the next call on. */
export class FollowedConfig {
  readonly #parts: FollowParts;
  readonly #warned: Set<string>;
  #current: LocatedConfig;
  #said = '';
  /** When to tell it to the cluster again, by the monotonic clock. */
  #tellAtMs = 0;
  #change = Promise.withResolvers<undefined>();

  constructor(parts: FollowParts) {
    this.#parts = parts;
    this.#warned = new Set(parts.warnings);
    this.#current = parts.located;
  }

  /** What the controllers are to run with. Another object after each change. */
  get current(): LocatedConfig {
    return this.#current;
  }

  /** Whether what runs is what the file says. */
  get isUpToDate(): boolean {
    return this.#said === '';
  }

  /** Looks at the file again and again, until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (await slept(this.#parts.clock, LOOK_MS, signal)) await this.#look();
  }

  /** Runs `work` with the file as it is, and anew after each change, once the work before has ended. Rejects as `work` does. */
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
      round.abort(new Error('the cloud-config has changed'));
      await running;
    }
  }

  async #look(): Promise<void> {
    try {
      const { config, warnings } = await this.#parts.read();
      for (const warning of warnings.filter((each) => !this.#warned.has(each))) {
        this.#warned.add(warning);
        this.#parts.warn(warning);
      }
      this.#take(runnable(config, this.#current));
      const parts = { ...this.#parts, located: this.#current };
      const fixed = Object.keys(FIXED).filter((key) => FIXED[key]?.(config, parts) === true);
      if (fixed.length === 0) this.#said = '';
      else
        this.#say(
          'CloudConfigNeedsRestart',
          `${fixed.join(' and ')} of the cloud-config counts only from the next start: restart the controller`,
        );
    } catch (error) {
      this.#say('CloudConfigRejected', `${messageOf(error)}; what it said before stays in force`);
    }
  }

  #take(next: LocatedConfig): void {
    if (isDeepStrictEqual(next, this.#current)) return;
    this.#current = next;
    this.#change.resolve(undefined);
    this.#change = Promise.withResolvers();
    this.#announce('CloudConfigChanged', 'the cloud-config has changed: the controllers start anew with it');
  }

  #say(news: ConfigChange, message: string): void {
    const now = this.#parts.clock.monotonic();
    if (message !== this.#said) {
      this.#said = message;
      this.#tellAtMs = now;
      this.#parts.note(news, message);
    }
    if (now >= this.#tellAtMs && this.#parts.tell(news, message)) this.#tellAtMs = now + REMIND_MS;
  }

  #announce(news: ConfigChange, message: string): void {
    this.#parts.note(news, message);
    this.#parts.tell(news, message);
  }
}
