import type { Clock } from '../../base/clock.ts';
import { readInput } from './admin-input.ts';
import { SimulatedCloud } from './cloud-state.ts';
import { accountCaller, KeyRing, ROOT_ACCOUNT, type Caller } from './credentials.ts';
import { Effects } from './fault-effects.ts';
import { CloudError } from './error.ts';
import { FaultPlan, Faults } from './fault.ts';
import { Journal, ownParameters, type JournalEntry } from './journal.ts';
import { DEFAULT_SETTINGS, type SimulatorSettings } from './settings.ts';
import { SettingsChange } from './settings-schema.ts';
import type { SimulatedOperation, SimulatedProduct } from './operation.ts';
import { PRODUCTS } from './products.ts';
import { idSource, type IdSource } from './id-source.ts';
import { plantSeed, Seed, type Planted } from './seed.ts';
import { stateOf } from './state-response.ts';
import { errorReply, THROTTLED, SimulatedRequest, type Reply } from './call-execution.ts';
import { ClockChange, CloudTime } from './cloud-clocks.ts';
import { SimulatedRegion } from './simulated-region.ts';

export type { JournalEntry } from './journal.ts';
export type { SimulatorSettings } from './settings.ts';
export type { Reply } from './call-execution.ts';

/** A call of the cloud API. The parameters are flat, such as `Tag.1.Key`. */
export interface SimulatedCall {
  readonly version: string;
  readonly action: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** The identity of the caller, by default the account. */
  readonly caller?: Caller;
  /** The requested host, which error responses contain. */
  readonly host?: string;
}

/** A synchronous observer of all calls. Tests check invariants with a watcher while the calls run. */
export interface CallWatcher {
  /** Runs on arrival of a call, before any change. */
  arrived(entry: JournalEntry): void;
  /** Runs after a call took effect or was rejected, even without a response to the caller. */
  ended(entry: JournalEntry): void;
}

/** The inputs of a simulator. */
export interface SimulatorOptions {
  readonly clock: Clock;
  /** The seed of generated ids and addresses. Equal seeds and calls give equal ids. */
  readonly randomSeed?: number;
  readonly settings?: Partial<SimulatorSettings>;
  readonly regionId?: string;
  readonly accountId?: string;
  /** The content of the seed file: the resources at the start and after a reset, in the format of `POST /_simulator/seed`. */
  readonly seedFile?: unknown;
  readonly watcher?: CallWatcher;
}

interface FoundOperation {
  readonly product: SimulatedProduct;
  readonly operation: SimulatedOperation;
}

const catalogue = new Map<string, FoundOperation>(
  PRODUCTS.flatMap((product) =>
    product.operations.map((operation): [string, FoundOperation] => [
      `${product.version}/${operation.action}`,
      { product, operation },
    ]),
  ),
);
const actions = new Set(PRODUCTS.flatMap(({ operations }) => operations.map(({ action }) => action)));

/** A region of Alibaba Cloud in memory, without timers and sockets of its own, so that tests can run in virtual time. */
export class Simulator {
  readonly keys = new KeyRing();
  readonly time: CloudTime;
  readonly #options: SimulatorOptions;
  readonly #journal = new Journal();
  readonly #faults = new FaultPlan();
  readonly #effects: Effects;
  #cloud: SimulatedCloud;

  constructor(options: SimulatorOptions) {
    this.#options = options;
    this.time = new CloudTime(options.clock);
    this.#effects = new Effects(options.clock, this.time);
    this.#cloud = this.#freshCloud();
    this.#plantSeedFile();
  }

  get world(): SimulatedRegion {
    return this.#cloud.world;
  }

  get settings(): SimulatorSettings {
    return this.#cloud.settings;
  }

  /** The generator of ids. Each use changes later ids. */
  get ids(): IdSource {
    return this.#cloud.ids;
  }

  /** The account that owns all resources. */
  get owner(): Caller {
    return accountCaller(this.#options.accountId ?? ROOT_ACCOUNT);
  }

  /** Executes a call. Resolves with the response, even if the call is rejected. After an abort, the call may still take effect. */
  async execute(call: SimulatedCall, signal: AbortSignal): Promise<Reply> {
    signal.throwIfAborted();
    this.#effects.settle();
    const found = catalogue.get(`${call.version}/${call.action}`);
    const entry = this.#open(call, found);
    if (found === undefined) return this.#reject(call, entry, unknownOperation(call));
    const { product, operation } = found;
    if (!this.#admit(product, operation)) {
      return this.#reject(call, entry, new CloudError('Throttling.User', THROTTLED));
    }
    const fault = this.#faults.take({ ...call, product: product.name, kind: operation.kind });
    if (fault !== undefined) entry.fault = fault.effect;
    const request = new SimulatedRequest({
      cloud: this.#cloud,
      product: product.name,
      operation,
      parameters: ownParameters(call.parameters),
      caller: call.caller ?? this.owner,
      host: call.host ?? 'localhost',
      entry,
      ended: () => this.#options.watcher?.ended(entry),
    });
    this.#options.watcher?.arrived(entry);
    const latency = operation.kind === 'read' ? this.settings.readLatencyMs : this.settings.writeLatencyMs;
    return this.#effects.run(request, fault, latency, signal);
  }

  /** Records a call that is not authentic, and returns the response. */
  rejectEarly(call: SimulatedCall, error: CloudError): Reply {
    return this.#reject(call, this.#open(call, catalogue.get(`${call.version}/${call.action}`)), error);
  }

  /** Returns all resources with their current states, the active faults and the settings. */
  state(): object {
    this.#effects.settle();
    return stateOf(this.#cloud, this.#faults.pending());
  }

  /** Returns the calls after call number `n`, in order of arrival. */
  journal(n = 0): readonly JournalEntry[] {
    return this.#journal.since(n);
  }

  /** Creates and removes resources. Changes nothing and throws an `AdminError` if the input is invalid. */
  seed(input: unknown): Planted {
    return plantSeed(readInput(Seed, input, 'seed'), this.#cloud);
  }

  /** Adds faults. Throws an `AdminError` if the input is invalid. */
  faults(input: unknown): void {
    this.#faults.add(readInput(Faults, input, 'faults'), actions);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  /** Changes some settings and returns all settings. Throws an `AdminError` if the input is invalid. */
  changeSettings(input: unknown): SimulatorSettings {
    this.#cloud.settings = { ...this.settings, ...readInput(SettingsChange, input, 'settings') };
    return this.settings;
  }

  /** Changes the clocks of the cloud and returns their state. Throws an `AdminError` if the input is invalid. */
  setClock(input: unknown): object {
    this.time.change(readInput(ClockChange, input, 'clock'));
    this.#effects.settle();
    return this.time.describe();
  }

  /** Restores the initial resources, settings and clocks. Clears faults, journal and temporary keys. */
  reset(): void {
    this.#effects.forget();
    this.time.reset();
    this.#journal.clear();
    this.#faults.clear();
    this.keys.forgetTemporary();
    this.#cloud = this.#freshCloud();
    this.#plantSeedFile();
  }

  #plantSeedFile(): void {
    if (this.#options.seedFile !== undefined) this.seed(this.#options.seedFile);
  }

  #freshCloud(): SimulatedCloud {
    const { randomSeed = 1, regionId = 'cn-hangzhou', settings } = this.#options;
    const parts = { world: new SimulatedRegion(regionId), ids: idSource(randomSeed), keys: this.keys };
    return new SimulatedCloud({ ...parts, settings: { ...DEFAULT_SETTINGS, ...settings } }, () => this.time.now());
  }

  #open(call: SimulatedCall, found: FoundOperation | undefined): JournalEntry {
    return this.#journal.begin({
      time: new Date(this.time.now()).toISOString(),
      userAgent: call.userAgent,
      product: found?.product.name,
      action: call.action,
      kind: found?.operation.kind,
      parameters: ownParameters(call.parameters),
      requestId: this.#cloud.ids.requestId(),
    });
  }

  #admit({ name }: SimulatedProduct, operation: SimulatedOperation): boolean {
    const rate = this.#cloud.rateOf(name, operation);
    return this.#cloud.rateLimit.admit(`${name}.${operation.action}`, rate, this.time.now());
  }

  #reject(call: SimulatedCall, entry: JournalEntry, error: CloudError): Reply {
    this.#options.watcher?.arrived(entry);
    entry.finished = entry.time;
    entry.outcome = error.code;
    this.#options.watcher?.ended(entry);
    const product = entry.product?.toLowerCase() ?? 'unknown';
    return errorReply(error, entry.requestId, call.host ?? 'localhost', `${product}:${call.action}`);
  }
}

function unknownOperation({ version, action }: SimulatedCall): CloudError {
  const known = PRODUCTS.some((product) => product.version === version);
  return known
    ? new CloudError(
        'InvalidAction.NotFound',
        `The operation "${action.slice(0, 120)}" does not exist in version ${version}.`,
      )
    : new CloudError('InvalidVersion', `The version "${version.slice(0, 40)}" does not exist.`);
}

/** Creates a simulator with the resources of `options.seedFile`. */
export const createSimulator = (options: SimulatorOptions): Simulator => new Simulator(options);
