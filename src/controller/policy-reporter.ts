import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock.ts';
import { hasReason, messageOf } from '../errors.ts';
import { keyOf, type KubernetesObject, type Resource } from '../objects.ts';
import { followPolicies, type PolicySources } from '../policy/follow.ts';
import { LOAD_BALANCER_EXCEPTIONS, LOAD_BALANCER_POLICIES } from '../policy/resource.ts';
import { exceptionStatus, policyStatus, surveyOf } from '../policy/status.ts';
import type { Watched } from '../store.ts';
import type { KubernetesWriter } from './port.ts';

export interface ReporterParts extends Omit<PolicySources, 'warnOnly'> {
  readonly writer: Pick<KubernetesWriter, 'mergePatch'>;
  readonly clock: Clock;
}

/** What a merge patch takes away. */
const emptied = (status: object | undefined): Readonly<Record<string, null>> =>
  Object.fromEntries(Object.keys(status ?? {}).map((key) => [key, null]));

/** Says in the status of policies and exceptions how they stand. */
export interface PolicyReporter {
  /** Runs until the signal is aborted, then rejects with its reason. What cannot be written is said and tried again. */
  run(signal: AbortSignal): Promise<void>;
}

/** From one look at what has changed to the next: a status is for people, who wait as long. */
const INTERVAL_MS = 2_000;
/** Without any change: exceptions end, and dates come. */
const IDLE_MS = 30_000;

export function createPolicyReporter(parts: ReporterParts): PolicyReporter {
  const { policies, exceptions, namespaces, services, writer, clock, log } = parts;
  let isDirty = true;
  const { book } = followPolicies({ ...parts, warnOnly: false });
  for (const cache of [policies, exceptions, namespaces, services] as readonly Pick<
    Watched<KubernetesObject>,
    'onChange'
  >[]) {
    cache.onChange(() => {
      isDirty = true;
    });
  }

  const write = async <Kind extends KubernetesObject & { readonly status?: object }>(
    resource: Resource<Kind>,
    object: Kind,
    status: object | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    if (status === undefined || isDeepStrictEqual(object.status, status)) return;
    try {
      const patch = { status: { ...emptied(object.status), ...status } };
      await writer.mergePatch(resource, keyOf(object), patch, { subresource: 'status' }, signal);
    } catch (error) {
      signal.throwIfAborted();
      // Gone in the meantime.
      if (hasReason(error, 'NotFound')) return;
      isDirty = true;
      log.warn({ [resource.kind]: object.metadata.name, error: messageOf(error) }, 'a status could not be written');
    }
  };
  const pass = async (signal: AbortSignal): Promise<void> => {
    isDirty = false;
    const names = Iterator.from(namespaces.values()).map(({ metadata }) => metadata.name);
    const survey = surveyOf(book, names, clock.now());
    for (const policy of [...policies.values()]) {
      await write(LOAD_BALANCER_POLICIES, policy, policyStatus(policy, survey), signal);
    }
    for (const exception of [...exceptions.values()]) {
      await write(LOAD_BALANCER_EXCEPTIONS, exception, exceptionStatus(exception, survey), signal);
    }
  };
  const isKnown = (): boolean => policies.hasSynced() && exceptions.hasSynced() && services.hasSynced();
  const isEmpty = (): boolean => policies.size === 0 && exceptions.size === 0;
  return {
    run: async (signal) => {
      let lookedAt = -Infinity;
      for (;;) {
        signal.throwIfAborted();
        const isDue = isDirty || clock.monotonic() - lookedAt >= IDLE_MS;
        if (isDue && isKnown() && (isEmpty() || namespaces.hasSynced())) {
          lookedAt = clock.monotonic();
          await pass(signal);
        }
        await clock.sleep(INTERVAL_MS, signal);
      }
    },
  };
}
