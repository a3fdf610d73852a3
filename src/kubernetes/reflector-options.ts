import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { KubernetesObject, Resource } from '../base/objects.ts';
import type { ReflectorMetrics } from './metrics.ts';
import type { Cache } from './store.ts';
import type { Requests } from './transport.ts';

/** What all reflectors of a process share. */
export interface ReflectorShared {
  readonly transport: Requests;
  readonly clock: Clock;
  readonly random: () => number;
  readonly metrics: ReflectorMetrics;
  readonly log: Logger;
}

export interface ReflectorOptions<Kind extends KubernetesObject> extends ReflectorShared {
  readonly resource: Resource<Kind>;
  readonly cache: Cache<Kind>;
  /** What is kept of each object. */
  readonly trim: (object: Kind) => Kind;
  /** Whether a trimmed object is kept at all; all are when absent. */
  readonly keeps?: (object: Kind) => boolean;
  /** What every object that is kept has somewhere in its text, as long as it lives; others are then not even read. */
  readonly mentions?: string;
  /** A cluster may do without the kind: then there is nothing of it, and it is asked for again, soon at first and then ever more seldom. */
  readonly isOptional?: boolean;
  /** Milliseconds, at most, until such a kind is asked for again; ten seconds when absent. */
  readonly absentMs?: number;
  /** Everything of the kind when absent. */
  readonly select?: { readonly namespace?: string; readonly labelSelector?: string; readonly fieldSelector?: string };
}
