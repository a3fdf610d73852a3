import type { Caller, KeyRing } from './credentials.ts';
import type { SimulatorSettings, Rate } from './settings.ts';
import type { Arguments, Parameter } from './parameter.ts';
import type { IdSource } from './random.ts';
import type { SimulatedRegion } from './world.ts';

export type ProductName = 'Slb' | 'Vpc' | 'Ecs' | 'Sts';

/** What a handler works with. Handlers are synchronous: a call takes effect at one instant, wholly or not at all. */
export interface Context {
  readonly world: SimulatedRegion;
  readonly knobs: SimulatorSettings;
  readonly ids: IdSource;
  readonly keys: KeyRing;
  readonly caller: Caller;
  /** The cloud's own time, milliseconds since the epoch. */
  readonly now: number;
  /** The instant that lists and tag filters of this call show; `now` unless they lag behind. */
  readonly listInstant: number;
}

/** An answer without its request id. Members without a value are left out of the JSON text. */
export type OperationResult = Readonly<Record<string, unknown>>;

export interface Operation {
  readonly action: string;
  readonly kind: 'read' | 'write';
  readonly rate: Rate;
  readonly parameters: readonly Parameter[];
  /** Throws a `CloudError` to refuse, before it has changed anything. */
  readonly handle: (args: Arguments, context: Context) => OperationResult;
  /** What is being changed, for the lock that keeps writes apart; absent where writes do not disturb each other. */
  readonly subject?: (args: Arguments, world: SimulatedRegion) => string | undefined;
  /** The ids that were asked for and are not in the answer, for a read that asks by ids. */
  readonly missing?: (args: Arguments, answer: OperationResult) => readonly string[];
  /** Returns whether the call neither locks its subject nor waits for its lock. */
  readonly isLockFree?: (knobs: SimulatorSettings) => boolean;
  /** Answered while another write holds the subject. */
  readonly busyCode?: string;
  /** Whether `ClientToken` makes a repetition harmless, and the codes of its two refusals. */
  readonly token?: { readonly processing: string; readonly mismatch: string };
}

export interface Product {
  readonly name: ProductName;
  readonly version: string;
  readonly operations: readonly Operation[];
}
