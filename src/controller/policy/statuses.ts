import { isDeepStrictEqual } from 'node:util';
import { backoffMs, type Backoff } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { PrunedFields } from '../../base/crd-pruned-fields.ts';
import { hasReason, messageOf } from '../../base/errors.ts';
import { API_GROUP, API_VERSION } from '../../inventory/custom-resources.ts';
import type { Logger } from '../../base/log.ts';
import { keyOf, type KubernetesObject, type Resource } from '../../base/kubernetes-objects.ts';
import { announcementText } from '../../policy/exception-expiry-announcement.ts';
import {
  LOAD_BALANCER_EXCEPTIONS,
  LOAD_BALANCER_POLICIES,
  type Announcement,
  type LoadBalancerException,
  type LoadBalancerPolicy,
} from '../../policy/custom-resources.ts';
import { exceptionStatus } from '../../policy/exception-status.ts';
import { policyStatus, type StatusInputs } from '../../policy/status.ts';
import type { EventRecorder, KubernetesWriter } from '../kubernetes-interface.ts';
import { yieldToOthers } from './event-loop-yield.ts';

export interface StatusesParts {
  readonly writer: Pick<KubernetesWriter, 'mergePatch'>;
  readonly events: EventRecorder;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly log: Logger;
}

/** The back-off after a failed write of a status, because the API server would probably reject an early retry. */
const BACKOFF: Backoff = { baseMs: 2_000, maxMs: 600_000 };

type WithStatus = KubernetesObject & { readonly status?: object };

/** Returns the merge patch that removes all fields of a status. */
const emptied = (status: object | undefined): Readonly<Record<string, null>> =>
  Object.fromEntries(Object.keys(status ?? {}).map((key) => [key, null]));

/** The result of a write. `perhaps` means that the response was lost. */
type Written = 'unchanged' | 'done' | 'perhaps' | 'failed';

/** The writer of statuses of policies and exceptions, which `kubectl get` shows. Also emits events before exceptions expire. */
export class PolicyStatuses {
  readonly #parts: StatusesParts;
  /** The announcements of this process, by UID of the exception. Prevents repeated events while the cache does not show the written status yet. */
  readonly #announced = new Map<string, Announcement>();

  /** The failed writes, by UID of the object. */
  readonly #failing = new Map<string, { readonly failures: number; readonly untilMs: number }>();

  /** The fields that the API server does not store, by resource. */
  readonly #prunedFields: Record<string, PrunedFields> = {};

  constructor(parts: StatusesParts) {
    this.#parts = parts;
  }

  /** The time of the next retry, in monotonic milliseconds; `Infinity` without a failed write. */
  get dueAtMs(): number {
    return Math.min(Infinity, ...[...this.#failing.values()].map(({ untilMs }) => untilMs));
  }

  /** Writes the changed statuses, except those whose last write failed recently. Rejects only with the reason of the aborted signal. */
  async write(
    policies: readonly LoadBalancerPolicy[],
    exceptions: readonly LoadBalancerException[],
    inputs: StatusInputs,
    signal: AbortSignal,
  ): Promise<void> {
    const pause = yieldToOthers(this.#parts.clock);
    const there = new Set([...policies, ...exceptions].map(({ metadata }) => metadata.uid));
    for (const uid of this.#failing.keys()) if (!there.has(uid)) this.#failing.delete(uid);
    for (const policy of policies) {
      await this.#put(LOAD_BALANCER_POLICIES, policy, policyStatus(policy, inputs), signal);
      await pause(signal);
    }
    for (const exception of exceptions) {
      const status = exceptionStatus(exception, inputs);
      const written = await this.#put(LOAD_BALANCER_EXCEPTIONS, exception, status, signal);
      const isChanged = status.announced !== undefined && status.announced !== exception.status?.announced;
      if (isChanged && (written === 'done' || written === 'perhaps')) this.#announce(exception, status.announced);
      await pause(signal);
    }
  }

  /** Emits the event after the write of the status. If the process ends in between, only the status announces the expiry. */
  #announce(exception: LoadBalancerException, announcement: Announcement): void {
    const { name, uid } = exception.metadata;
    if (this.#announced.get(uid) === announcement) return;
    this.#announced.set(uid, announcement);
    const target = { apiVersion: `${API_GROUP}/${API_VERSION}`, kind: LOAD_BALANCER_EXCEPTIONS.kind, name, uid };
    this.#parts.events.record(target, 'Warning', announcement, announcementText(exception, announcement));
  }

  async #put<Kind extends WithStatus>(
    resource: Resource<Kind>,
    object: Kind,
    status: object | undefined,
    signal: AbortSignal,
  ): Promise<Written> {
    const { uid } = object.metadata;
    const pruned = (this.#prunedFields[resource.plural] ??= new PrunedFields());
    if (status === undefined || isDeepStrictEqual(object.status, pruned.without(status))) {
      this.#failing.delete(uid);
      return 'unchanged';
    }
    const { failures = 0, untilMs = 0 } = this.#failing.get(uid) ?? {};
    if (this.#parts.clock.monotonic() < untilMs) return 'failed';
    this.#failing.delete(uid);
    try {
      const patch = { status: { ...emptied(object.status), ...status } };
      const { writer } = this.#parts;
      const stored = await writer.mergePatch(resource, keyOf(object), patch, { subresource: 'status' }, signal);
      pruned.observe(status, stored.status);
      return 'done';
    } catch (error) {
      signal.throwIfAborted();
      // The object was deleted before the write.
      if (hasReason(error, 'NotFound')) return 'unchanged';
      const message = 'failed to write a status';
      this.#parts.log.warn({ [resource.kind]: object.metadata.name, error: messageOf(error) }, message);
      this.#failing.set(uid, {
        failures: failures + 1,
        untilMs: this.#parts.clock.monotonic() + backoffMs(BACKOFF, failures + 1),
      });
      return hasReason(error, 'OutcomeUnknown') ? 'perhaps' : 'failed';
    }
  }
}
