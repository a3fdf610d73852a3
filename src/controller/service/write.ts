import type { LastingOptions } from '../../clb/applied.ts';
import { PortcullisError, type Reason } from '../../errors.ts';
import { keyOf, SERVICES, type Service } from '../../objects.ts';
import type { ConditionPatch } from './telling/condition.ts';
import type { WriteStep } from './events.ts';
import { beginPatch, finalPatch, holdPatch, restorePatch, type Beginning } from './marks.ts';
import type { Entry } from './memory.ts';
import type { KubernetesWriter } from '../port.ts';
import type { Ingress } from './status.ts';

/** The part of a turn that a write belongs to. */
interface WritingTurn {
  readonly entry: Pick<Entry, 'latest'>;
  readonly signal: AbortSignal;
}
interface WritingDeps {
  readonly writer: Pick<KubernetesWriter, 'mergePatch'>;
}

/** What to do about a write that was refused, where its message does not say it. */
const adviceOn = (reason: Reason, resource: string): string =>
  reason === 'Forbidden' ? `; allow the controller's service account to patch ${resource}, by its ClusterRole` : '';

/** A write to a Service that failed. Its reason is that of the failure; the steps say what it was for. */
export class ServiceWriteError extends PortcullisError {
  readonly steps: readonly WriteStep[];

  constructor(steps: readonly WriteStep[], resource: string, cause: PortcullisError) {
    const { reason, message, code, requestId, retryAfterMs } = cause;
    super(reason, `${message}${adviceOn(reason, resource)}`, {
      cause,
      ...(code === undefined ? {} : { code }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    this.steps = steps;
  }
}

/** A change of a Service, and what it is for. */
interface ServicePatch {
  readonly patch: object;
  readonly subresource?: 'status';
  readonly steps: readonly WriteStep[];
}

/** Patches a Service, and answers and remembers it as it is then. Rejects `ServiceWriteError`. */
async function write(
  service: Service,
  { patch, subresource, steps }: ServicePatch,
  { entry, signal }: WritingTurn,
  { writer }: WritingDeps,
): Promise<Service> {
  const options = { strategic: true, ...(subresource === undefined ? {} : { subresource }) };
  try {
    entry.latest = await writer.mergePatch(SERVICES, keyOf(service), patch, options, signal);
    return entry.latest;
  } catch (error) {
    if (!(error instanceof PortcullisError)) throw error;
    throw new ServiceWriteError(steps, subresource === undefined ? 'services' : 'services/status', error);
  }
}

/** Stores finalizer, dirty mark and what is begun before the first call, if one of them is not there. */
export async function begin(
  service: Service,
  beginning: Omit<Beginning, 'applied'>,
  turn: WritingTurn & { readonly lasting: LastingOptions },
  deps: WritingDeps,
): Promise<Service> {
  const patch = beginPatch(service, { ...beginning, applied: turn.lasting });
  if (patch === undefined) return service;
  const isHeld = holdPatch(service) === undefined;
  return write(service, { patch, steps: [isHeld ? 'FailedAddHash' : 'FailedAddFinalizer'] }, turn, deps);
}

/** A Service that has something in the cloud is held by the finalizer, also when somebody has taken it off. */
export async function hold(service: Service, turn: WritingTurn, deps: WritingDeps): Promise<Service> {
  const patch = holdPatch(service);
  return patch === undefined ? service : write(service, { patch, steps: ['FailedAddFinalizer'] }, turn, deps);
}

/** Puts the finalizer and the labels on that a Service has lost, as it is `wanted`. */
export const restore = (service: Service, wanted: Service, turn: WritingTurn, deps: WritingDeps): Promise<Service> => {
  if (wanted === service) return Promise.resolve(service);
  return write(service, { patch: restorePatch(service, wanted), steps: ['FailedAddFinalizer'] }, turn, deps);
};

/** Takes the finalizer off. */
export const unhold = (service: Service, turn: WritingTurn, deps: WritingDeps): Promise<Service> =>
  write(service, { patch: finalPatch(service), steps: ['FailedRemoveFinalizer'] }, turn, deps);

type Labels = Readonly<Record<string, string | null>>;

/** What of a Service is written through its status. */
interface StatusChange {
  readonly labels?: Labels;
  /** Labels that are not worth a write of their own; of one that `labels` has too, that counts. */
  readonly alongside?: Labels;
  readonly ingress?: readonly Ingress[] | null | undefined;
  readonly condition?: ConditionPatch | undefined;
  /** Whether it holds only for the Service as it was, whatever of it is changed. */
  readonly isLocked?: boolean;
}

function stepsOf(labels: Labels, status: object): readonly WriteStep[] {
  const values = Object.values(labels);
  const step: WriteStep = values.every((value) => value === null) ? 'FailedRemoveHash' : 'FailedAddHash';
  return [
    ...(values.length === 0 ? [] : [step]),
    ...(Object.keys(status).length === 0 ? [] : (['FailedUpdateStatus'] as const)),
  ];
}

/**
 * Labels and status in one write, and none where nothing changes. An address is told only to the Service that it was found for: it may have
 * named another load balancer meanwhile.
 */
export async function writeStatus(
  service: Service,
  { labels = {}, alongside = {}, ingress, condition, isLocked = false }: StatusChange,
  turn: WritingTurn,
  deps: WritingDeps,
): Promise<Service> {
  const status = {
    ...(ingress === undefined ? {} : { loadBalancer: { ingress } }),
    ...(condition === undefined ? {} : { conditions: condition }),
  };
  const steps = stepsOf(labels, status);
  if (steps.length === 0) return service;
  const { uid, resourceVersion } = service.metadata;
  const isOfThisState = isLocked || (ingress ?? []).length > 0;
  const metadata = { uid, labels: { ...alongside, ...labels }, ...(isOfThisState ? { resourceVersion } : {}) };
  const patch = { metadata, ...(Object.keys(status).length === 0 ? {} : { status }) };
  return write(service, { patch, subresource: 'status', steps }, turn, deps);
}
