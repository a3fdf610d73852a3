import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { KubernetesObject, Resource } from '../base/kubernetes-objects.ts';
import type { ReflectorMetrics } from './metrics.ts';
import type { Cache } from './cache.ts';
import type { Requests } from './transport.ts';

/** The options that all reflectors of a process share. */
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
  /** Returns the part of an object that the cache keeps. */
  readonly trim: (object: Kind) => Kind;
  /** Returns whether the cache keeps a trimmed object. Default: all objects are kept. */
  readonly keeps?: (object: Kind) => boolean;
  /** A text that every kept object contains from creation to deletion. Watch events without this text are not parsed. */
  readonly mentions?: string;
  /** True if the cluster may lack the kind. While the kind is missing, the cache stays empty, and the reflector keeps retrying. */
  readonly isOptional?: boolean;
  /** The longest wait between retries while the kind is missing, in milliseconds. Default: 10,000. */
  readonly absentMs?: number;
  /** The selected objects. Default: all objects of the kind. */
  readonly select?: { readonly namespace?: string; readonly labelSelector?: string; readonly fieldSelector?: string };
}
