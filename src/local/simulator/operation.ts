import type { Caller, KeyRing } from './credentials.ts';
import type { SimulatorSettings, SimulatedRate } from './settings.ts';
import type { Arguments, Parameter } from './parameter.ts';
import type { IdSource } from './random.ts';
import type { SimulatedRegion } from './world.ts';

export type ProductName = 'Slb' | 'Vpc' | 'Ecs' | 'Sts';

/** The inputs of a handler. Handlers are synchronous, so that a call takes effect at one instant, completely or not at all. */
export interface OperationContext {
  readonly world: SimulatedRegion;
  readonly settings: SimulatorSettings;
  readonly ids: IdSource;
  readonly keys: KeyRing;
  readonly caller: Caller;
  /** The time of the cloud, in milliseconds since the epoch. */
  readonly now: number;
  /** The time whose state lists and tag filters show. Equal to `now` if they do not lag. */
  readonly listInstant: number;
}

/** An answer without its request id. The JSON omits undefined properties. */
export type OperationResult = Readonly<Record<string, unknown>>;

export interface SimulatedOperation {
  readonly action: string;
  readonly kind: 'read' | 'write';
  readonly rate: SimulatedRate;
  readonly parameters: readonly Parameter[];
  /** Applies the call, or throws a `CloudError` before any change. */
  readonly handle: (args: Arguments, context: OperationContext) => OperationResult;
  /** Returns the subject to lock, so that writes to one subject do not overlap. Undefined if writes do not disturb each other. */
  readonly subject?: (args: Arguments, world: SimulatedRegion) => string | undefined;
  /** Returns the requested ids that the answer lacks, for a read by ids. */
  readonly missing?: (args: Arguments, answer: OperationResult) => readonly string[];
  /** Returns whether the call neither locks its subject nor waits for its lock. */
  readonly isLockFree?: (settings: SimulatorSettings) => boolean;
  /** The error code while another write holds the subject. */
  readonly busyCode?: string;
  /** The error codes of a `ClientToken`, for operations that `ClientToken` makes idempotent. */
  readonly token?: { readonly processing: string; readonly mismatch: string };
}

export interface SimulatedProduct {
  readonly name: ProductName;
  readonly version: string;
  readonly operations: readonly SimulatedOperation[];
}
