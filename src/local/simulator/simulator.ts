import type { Clock } from '../../base/clock.ts';
import { readInput } from './admin-input.ts';
import { Cloud } from './cloud.ts';
import { accountCaller, KeyRing, ROOT_ACCOUNT, type Caller } from './credentials.ts';
import { Effects } from './effects.ts';
import { CloudError } from './error.ts';
import { FaultPlan, Faults } from './fault.ts';
import { Journal, ownParameters, type JournalEntry } from './journal.ts';
import { DEFAULT_SETTINGS, type SimulatorSettings } from './settings.ts';
import { SettingsChange } from './settings-change.ts';
import type { Operation, Product } from './operation.ts';
import { PRODUCTS } from './products.ts';
import { idSource, type IdSource } from './random.ts';
import { plantSeed, Seed, type Planted } from './seed.ts';
import { stateOf } from './state.ts';
import { errorReply, THROTTLED, Request, type Reply } from './request.ts';
import { ClockChange, CloudTime } from './time.ts';
import { SimulatedRegion } from './world.ts';

export type { JournalEntry } from './journal.ts';
export type { SimulatorSettings as Knobs } from './settings.ts';
export type { Reply } from './request.ts';

/** One call of the cloud's API, its parameters flattened as on the wire (`Tag.1.Key`). */
export interface Call {
  readonly version: string;
  readonly action: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** Whom the call is from; the account itself unless told. */
  readonly caller?: Caller;
  /** The host asked, which errors repeat. */
  readonly host?: string;
}

/** Is told of every call, at once and before anything else happens. */
export interface CallWatcher {
  /** It has arrived and changed nothing yet; its subject is known, if it has one. */
  arrived(entry: JournalEntry): void;
  /** It has taken effect or was refused, whether or not anybody hears of it; never told of a call that is lost on its way. */
  ended(entry: JournalEntry): void;
}

export interface SimulatorOptions {
  readonly clock: Clock;
  /** The same seed makes the same ids, addresses and request ids from the same calls. */
  readonly seed?: number;
  readonly knobs?: Partial<SimulatorSettings>;
  readonly regionId?: string;
  readonly accountId?: string;
  /** What exists at the start and after a reset, as `POST seed` takes it. */
  readonly world?: unknown;
  readonly watcher?: CallWatcher;
}

interface FoundOperation {
  readonly product: Product;
  readonly operation: Operation;
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

/**
 * A region of the cloud in one process. It owns no timer and no socket: states settle, lags end and windows pass when the
 * clock says so, and nothing happens between calls.
 */
export class Simulator {
  readonly keys = new KeyRing();
  readonly time: CloudTime;
  readonly #options: SimulatorOptions;
  readonly #journal = new Journal();
  readonly #faults = new FaultPlan();
  readonly #effects: Effects;
  #cloud: Cloud;

  constructor(options: SimulatorOptions) {
    this.#options = options;
    this.time = new CloudTime(options.clock);
    this.#effects = new Effects(options.clock, this.time);
    this.#cloud = this.#freshCloud();
    this.#plantWorld();
  }

  get world(): SimulatedRegion {
    return this.#cloud.world;
  }

  get knobs(): SimulatorSettings {
    return this.#cloud.knobs;
  }

  /** Where made-up ids come from; drawing from it changes what comes next. */
  get ids(): IdSource {
    return this.#cloud.ids;
  }

  /** The account that everything belongs to. */
  get owner(): Caller {
    return accountCaller(this.#options.accountId ?? ROOT_ACCOUNT);
  }

  /**
   * Carries out one call. Resolves with the answer, whatever it is; rejects with a `ConnectionCut` where a fault cuts the
   * connection, and with the signal's reason once the caller gives up (which does not undo what has been done, or will be).
   */
  async execute(call: Call, signal: AbortSignal): Promise<Reply> {
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
    const turn = new Request({
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
    const latency = operation.kind === 'read' ? this.knobs.readLatencyMs : this.knobs.writeLatencyMs;
    return this.#effects.run(turn, fault, latency, signal);
  }

  /** Records a call that was turned away at the gate, before it was known whose it is, and makes the answer. */
  turnAway(call: Call, error: CloudError): Reply {
    return this.#reject(call, this.#open(call, catalogue.get(`${call.version}/${call.action}`)), error);
  }

  /** Everything that exists, in the words of `POST seed`, with the states of this instant. */
  state(): object {
    this.#effects.settle();
    return stateOf(this.#cloud, this.#faults.pending());
  }

  /** The calls after the `n`-th, in order of arrival. */
  journal(n = 0): readonly JournalEntry[] {
    return this.#journal.since(n);
  }

  /** Makes things exist. Throws an `AdminError` that names the wrong fields; then nothing was made. */
  seed(input: unknown): Planted {
    return plantSeed(readInput(Seed, input, 'seed'), this.#cloud);
  }

  /** Arms faults, beside those armed before. Throws an `AdminError`. */
  faults(input: unknown): void {
    this.#faults.add(readInput(Faults, input, 'faults'), actions);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  /** Changes knobs; those not named stay. Throws an `AdminError`. */
  turnKnobs(input: unknown): SimulatorSettings {
    this.#cloud.knobs = { ...this.knobs, ...readInput(SettingsChange, input, 'knobs') };
    return this.knobs;
  }

  /** Moves the cloud's clocks. Throws an `AdminError`. */
  setClock(input: unknown): object {
    this.time.change(readInput(ClockChange, input, 'clock'));
    this.#effects.settle();
    return this.time.describe();
  }

  /** As it was at the start: the world and the knobs, clocks right, no faults, an empty journal. Permanent access keys stay. */
  reset(): void {
    this.#effects.forget();
    this.time.reset();
    this.#journal.clear();
    this.#faults.clear();
    this.keys.forgetTemporary();
    this.#cloud = this.#freshCloud();
    this.#plantWorld();
  }

  #plantWorld(): void {
    if (this.#options.world !== undefined) this.seed(this.#options.world);
  }

  #freshCloud(): Cloud {
    const { seed = 1, regionId = 'cn-hangzhou', knobs } = this.#options;
    const parts = { world: new SimulatedRegion(regionId), ids: idSource(seed), keys: this.keys };
    return new Cloud({ ...parts, knobs: { ...DEFAULT_SETTINGS, ...knobs } }, () => this.time.now());
  }

  #open(call: Call, found: FoundOperation | undefined): JournalEntry {
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

  #admit({ name }: Product, operation: Operation): boolean {
    const rate = this.#cloud.rateOf(name, operation);
    return this.#cloud.rateLimit.admit(`${name}.${operation.action}`, rate, this.time.now());
  }

  #reject(call: Call, entry: JournalEntry, error: CloudError): Reply {
    this.#options.watcher?.arrived(entry);
    entry.finished = entry.time;
    entry.outcome = error.code;
    this.#options.watcher?.ended(entry);
    const product = entry.product?.toLowerCase() ?? 'unknown';
    return errorReply(error, entry.requestId, call.host ?? 'localhost', `${product}:${call.action}`);
  }
}

function unknownOperation({ version, action }: Call): CloudError {
  const known = PRODUCTS.some((product) => product.version === version);
  return known
    ? new CloudError('InvalidAction.NotFound', `There is no operation "${action.slice(0, 120)}" in version ${version}.`)
    : new CloudError('InvalidVersion', `The version "${version.slice(0, 40)}" is not published.`);
}

export const createSimulator = (options: SimulatorOptions): Simulator => new Simulator(options);
