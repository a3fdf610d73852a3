import type { Invariant, Violation } from '../moment.ts';
import { DIGEST, DIRTY, isDirty, isOfService, isOurWrite, Services, type StoredService } from '../ownership.ts';

const MARK = /^(?:portcullis\.io|service\.k8s\.alibaba)\//;

/** Whether we took the dirty mark away from a Service that keeps others, and no digest stands for what was done. */
function isClearedTooEarly({ by, before, after }: StoredService): boolean {
  if (by !== 'controller' || before === undefined || after === undefined) return false;
  if (!isDirty(before) || isDirty(after)) return false;
  const labels = after.metadata.labels ?? {};
  return labels[DIGEST] === undefined && Object.keys(labels).some((label) => MARK.test(label));
}

export const dirtyBeforeWrite: Invariant = {
  name: 'DirtyBeforeWrite',
  says: 'the dirty mark is stored before the first changing call, and goes only with the storing of a digest',
  check(history, { judged }) {
    const services = new Services();
    /** Services whose mark somebody else has taken off: what they do is theirs to answer for. */
    const tampered = new Set<string>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      if (isOfService(moment)) {
        const { by, before, after, key } = moment;
        if (after !== undefined && isDirty(after)) tampered.delete(after.metadata.uid);
        else if (by === 'others' && before !== undefined && isDirty(before)) tampered.add(before.metadata.uid);
        if (isClearedTooEarly(moment))
          violations.push({ at, found: `${DIRTY} of ${key} was cleared without a digest` });
      }
      if (moment.kind !== 'sent' || !isOurWrite(moment.call)) return;
      const service = services.actorOf(moment.call, moment.target);
      if (service === undefined || tampered.has(service.metadata.uid)) return;
      judged();
      if (isDirty(service)) return;
      violations.push({
        at,
        found: `${moment.call.action} was sent while ${service.metadata.name} was not marked dirty`,
      });
    });
    return violations;
  },
};
