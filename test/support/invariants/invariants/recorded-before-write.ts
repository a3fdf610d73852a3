import type { JournalEntry } from '../../../../src/local/simulator/simulator.ts';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import type { Invariant, Sent, Violation } from '../moment.ts';
import {
  hasOperation,
  isInProgress,
  isOfBinding,
  isOurWrite,
  isUsedBy,
  Services,
  type StoredBinding,
} from '../ownership.ts';
import { groupIn, membersIn } from '../call-parameters.ts';

/** Returns whether the controller removed the operation from a binding without storing a digest of the sync. */
const isClearedTooEarly = ({ by, before, after }: StoredBinding): boolean =>
  by === 'controller' &&
  after !== undefined &&
  hasOperation(before) &&
  !hasOperation(after) &&
  after.spec.syncedDigest === undefined;

/** Returns whether the controller recorded the end of all calls of an operation. */
const isRecordedAsEnded = ({ by, before, after }: StoredBinding): boolean =>
  by === 'controller' && isInProgress(before) && hasOperation(after) && !isInProgress(after);

/**
 * Calls that neither took effect nor were rejected. Creations are omitted, because a creation also ends with the answer to another call with its
 * token.
 */
class UnderWay {
  readonly #uids = new Map<JournalEntry, string>();

  sent(call: JournalEntry, uid: string): void {
    if (call.action !== 'CreateLoadBalancer') this.#uids.set(call, uid);
  }

  ended(call: JournalEntry): void {
    this.#uids.delete(call);
  }

  callsOf(uid: string): readonly JournalEntry[] {
    return [...this.#uids].flatMap(([call, of]) => (of === uid ? [call] : []));
  }
}

/** Returns the violations of a binding change, given the pending calls of its Service. */
function wrongIn(change: StoredBinding, underWay: readonly JournalEntry[]): readonly string[] {
  const early = isClearedTooEarly(change) ? [`the operation of ${change.key} was removed without a digest`] : [];
  if (!isRecordedAsEnded(change)) return early;
  return [...early, ...underWay.map(({ action }) => `the operation of ${change.key} ended during ${action}`)];
}

/** Services whose operation a user removed from the binding. They are exempt, because the user is responsible for the effects. */
class Tampered {
  readonly #uids = new Set<string>();

  pass({ by, before, after }: StoredBinding): void {
    const uid = (after ?? before)?.metadata.name ?? '';
    if (hasOperation(after)) this.#uids.delete(uid);
    else if (by === 'others' && hasOperation(before)) this.#uids.add(uid);
  }

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }
}

/** Services whose binding was deleted with the definition. Until a binding is stored again, only backends in their groups are synced. */
class Unrecorded {
  readonly #uids = new Set<string>();

  pass({ before, after, isDefinitionDeleted = false }: StoredBinding): void {
    const uid = (after ?? before)?.metadata.name ?? '';
    if (after !== undefined) this.#uids.delete(uid);
    else if (isDefinitionDeleted) this.#uids.add(uid);
  }

  permits(service: Service, { call, target }: Sent): boolean {
    if (!this.#uids.has(service.metadata.uid) || membersIn(call).length === 0) return false;
    const group = groupIn(call, target);
    return group !== undefined && isUsedBy(group, service);
  }
}

/** After a crash, only the record shows that calls may still take effect. */
export const recordedBeforeWrite: Invariant = {
  name: 'RecordedBeforeWrite',
  statement: 'the operation is recorded before the first changing call, and ends after all calls',
  check(history, { evaluated }) {
    const services = new Services();
    const tampered = new Tampered();
    const unrecorded = new Unrecorded();
    const underWay = new UnderWay();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      if (isOfBinding(moment)) {
        tampered.pass(moment);
        unrecorded.pass(moment);
        const wrong = wrongIn(moment, underWay.callsOf(moment.key));
        violations.push(...wrong.map((found) => ({ at, found })));
      }
      if (moment.kind === 'ended') underWay.ended(moment.call);
      if (moment.kind !== 'sent' || !isOurWrite(moment.call)) return;
      const service = services.actorOf(moment.call, moment.target);
      if (service === undefined || tampered.has(service.metadata.uid)) return;
      evaluated();
      underWay.sent(moment.call, service.metadata.uid);
      if (isInProgress(services.bindingOf(service.metadata.uid))) return;
      if (unrecorded.permits(service, moment)) return;
      violations.push({
        at,
        found: `${moment.call.action} was sent while no operation of ${service.metadata.name} was recorded`,
      });
    });
    return violations;
  },
};
