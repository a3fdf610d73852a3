import type { Invariant, JournalEntry, Violation } from '../moment.ts';
import { isOurs, OWNER_TAG, tagIn } from '../ownership.ts';

const parameterText = ({ parameters }: JournalEntry): string => JSON.stringify(Object.entries(parameters).sort());

/** Milliseconds after which the result of an unanswered creation is final. */
const SETTLE_MS = 90_000;
/** Faults after which the sender cannot know if the call took effect. */
const UNKNOWN_OUTCOME = /^(?:cut|timeout|late|malformed)/;

/**
 * With another token, a repeated creation makes a second resource. With the token of another creation, a creation returns the resource of the other
 * creation.
 */
export const tokenStable: Invariant = {
  name: 'TokenStable',
  statement: 'a creation is repeated with the same token, and another creation has another token',
  check(history, { evaluated }) {
    const sentParameters = new Map<string, string>();
    const unknownOutcomes = new Map<string, JournalEntry>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if (moment.kind !== 'sent' || !isOurs(moment.call) || moment.call.action !== 'CreateLoadBalancer') return;
      evaluated();
      const { call } = moment;
      const token = call.parameters['ClientToken'];
      const owner = tagIn(call, OWNER_TAG) ?? '';
      const earlier = unknownOutcomes.get(owner);
      if (token === undefined) violations.push({ at, found: 'a creation was sent without a token' });
      else if ((sentParameters.get(token) ?? parameterText(call)) !== parameterText(call))
        violations.push({ at, found: `the token ${token} was sent again with other parameters` });
      else if (earlier !== undefined && earlier.parameters['ClientToken'] !== token) {
        if (Date.parse(call.time) - Date.parse(earlier.time) < SETTLE_MS)
          violations.push({
            at,
            found: `another token was sent while the outcome of creation ${earlier.n} was unknown`,
          });
      }
      sentParameters.set(token ?? '', parameterText(call));
      if (UNKNOWN_OUTCOME.test(call.fault ?? '')) unknownOutcomes.set(owner, call);
      else unknownOutcomes.delete(owner);
    });
    return violations;
  },
};
