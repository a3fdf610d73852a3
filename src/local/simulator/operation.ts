import type { Caller, KeyRing } from './credentials.ts';
import type { SimulatorSettings, SimulatedRate } from './settings.ts';
import type { Arguments, Parameter } from './parameter.ts';
import type { IdSource } from './id-source.ts';
import type { SimulatedRegion } from './simulated-region.ts';

export type ProductName = 'Slb' | 'Vpc' | 'Ecs' | 'Sts';

/** The inputs of a handler. Handlers are synchronous, so that a call takes effect completely or not at all. */
export interface OperationContext {
  readonly world: SimulatedRegion;
  readonly settings: SimulatorSettings;
  readonly ids: IdSource;
  readonly keys: KeyRing;
  readonly caller: Caller;
  /** The time of the cloud, in milliseconds since the epoch. */
  readonly now: number;
  /** Lists and tag filters show the state at this time. Equal to `now` without a lag. */
  readonly listInstant: number;
}

/** The body of a response, without `RequestId`. The JSON omits undefined properties. */
export type OperationResult = Readonly<Record<string, unknown>>;

/** An operation of the cloud's API: its parameters, its effect and its limits. The files of the products define the operations. */
export interface SimulatedOperation {
  readonly action: string;
  readonly kind: 'read' | 'write';
  readonly rate: SimulatedRate;
  readonly parameters: readonly Parameter[];
  /** Applies the call, or throws a `CloudError` before any change. */
  readonly handle: (args: Arguments, context: OperationContext) => OperationResult;
  /** Returns the id of the load balancer or VPC that a call locks. Calls of an operation without this function lock nothing. */
  readonly subject?: (args: Arguments, world: SimulatedRegion) => string | undefined;
  /** Returns the requested ids that the response lacks. Only reads by id have this function. */
  readonly missing?: (args: Arguments, answer: OperationResult) => readonly string[];
  /** Returns whether the call ignores the lock of its subject. */
  readonly isLockFree?: (settings: SimulatorSettings) => boolean;
  /** The error code if another write holds the lock of the subject. */
  readonly busyCode?: string;
  /** The error codes for a repeated `ClientToken`. Only operations with an idempotent `ClientToken` have this property. */
  readonly token?: { readonly processing: string; readonly mismatch: string };
}

/** An API of the cloud, such as SLB. */
export interface SimulatedProduct {
  readonly name: ProductName;
  readonly version: string;
  readonly operations: readonly SimulatedOperation[];
}
