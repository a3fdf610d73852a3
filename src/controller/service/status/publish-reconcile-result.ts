import type { Options } from '../../../annotation/catalogue.ts';
import type { ObservedCache } from '../../../clb/observe/observe.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import type { ReconcileResult } from '../../../reconcile/requeue-decision.ts';
import { reportPods } from '../backends/pod-backend-sync.ts';
import type { BackendReport } from '../backends/readiness-gates.ts';
import type { SyncInputs } from '../sync/sync-inputs.ts';
import { emit, type ServiceEvent } from './events.ts';
import type { ServiceDeps, ReconcileContext } from '../context.ts';
import type { ReadinessState } from './condition-patch.ts';
import { commit, writeCondition, NO_WRITE, recordResult, recordUsage, type StatusWrite } from './result-writes.ts';

/** The data to record with the condition of a Service. */
export type Recording =
  /** The synced load balancer. */
  | { readonly kind: 'synced' }
  /** The load balancer if it serves the Service; otherwise only the usage. */
  | {
      readonly kind: 'reached';
      readonly isComplete: boolean;
      readonly isForeign?: boolean;
      readonly isInterrupted?: boolean;
      readonly options: Options;
    }
  /** The usage, if known. */
  | { readonly kind: 'usage'; readonly known?: ObservedCache }
  /** Nothing, and no condition, because a further change of backends follows within seconds. */
  | { readonly kind: 'nothing' };

/** The result of a reconcile to publish. */
export interface Ending {
  /** The Service after the last write. */
  readonly service: Service;
  readonly readiness: ReadinessState;
  /** Events to record after the binding is stored. The binding then shows what is done, so no later reconcile repeats these events. */
  readonly changes?: readonly ServiceEvent[];
  /** Events to record after the condition is written. The condition then shows the same problems, so no later reconcile repeats these events. */
  readonly events: readonly ServiceEvent[];
  readonly recording: Recording;
  /** The backends for the readiness gates of pods; undefined if the backends are unknown. */
  readonly pods?: Omit<BackendReport, 'addresses' | 'service'>;
  /** Returns when to reconcile again. Called after all writes. */
  readonly next: () => ReconcileResult;
}

/** Stores the binding, and returns the function that writes the status. */
async function store(
  subject: SyncInputs,
  { service, readiness, recording }: Ending,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<StatusWrite> {
  switch (recording.kind) {
    case 'synced':
      return commit(subject, { service, readiness, isComplete: true }, context, deps);
    case 'reached':
      return recordResult(subject, { service, readiness, ...recording }, context, deps);
    case 'usage':
      if (recording.known !== undefined) await recordUsage(subject, recording.known, context, deps);
      return writeCondition(service, readiness, context, deps);
    case 'nothing':
      return NO_WRITE;
  }
}

const isInterrupted = (recording: Recording): boolean =>
  (recording.kind === 'usage' && recording.known === undefined) ||
  (recording.kind === 'reached' && recording.isInterrupted === true);

/** Publishes a result: binding, status, then readiness gates. Each event follows the write that prevents its repetition. */
export async function publish(
  subject: SyncInputs,
  ending: Ending,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<ReconcileResult> {
  const { service, changes = [], events, recording, pods, next } = ending;
  const withPods = async (result: ReconcileResult): Promise<ReconcileResult> =>
    pods === undefined ? result : reportPods({ ...pods, service }, result, context, deps);
  context.entry.isAuditing &&= isInterrupted(recording);
  try {
    const writeStatus = await store(subject, ending, context, deps);
    for (const event of changes) emit(deps.events, service, event);
    await writeStatus();
    for (const event of events) emit(deps.events, service, event);
  } catch (error) {
    context.signal.throwIfAborted();
    // The pods are backends, even if the result could not be written.
    await withPods('done');
    throw error;
  }
  return withPods(next());
}
