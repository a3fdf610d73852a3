import assert from 'node:assert/strict';
import { INVARIANTS } from './list.ts';
import type { History, Moment } from './moment.ts';

/** How many moments before a violation are told with it. */
const BEFORE = 8;

function text(moment: Moment): string {
  switch (moment.kind) {
    case 'started':
      return 'a process starts';
    case 'sent':
      return `${moment.call.time} call ${moment.call.n} ${moment.call.action} ${JSON.stringify(moment.call.parameters)}`;
    case 'ended':
      return `${moment.call.finished ?? ''} call ${moment.call.n} ${moment.call.action}: ${moment.call.outcome ?? ''}`;
    case 'stored':
      return `${new Date(moment.atMs).toISOString()} ${moment.by}: ${moment.plural} ${moment.key} ${JSON.stringify(moment.after?.metadata ?? 'gone')}`;
    case 'told':
      return `event ${moment.reason} of ${moment.target.name}: ${moment.message}`;
  }
}

/** All that breaks an invariant, as text: what was found, the invariant, and what happened just before. */
export const violationsOf = (history: History): readonly string[] =>
  INVARIANTS.flatMap(({ name, says, check }) =>
    check(history).map(({ at, found }) => {
      const before = history.slice(Math.max(0, at - BEFORE), at + 1).map((moment) => `    ${text(moment)}`);
      return `${name} (${says}): ${found}, in\n${before.join('\n')}`;
    }),
  );

/** Throws if an invariant is broken. */
export function assertHistory(history: History): void {
  const violations = violationsOf(history);
  if (violations.length > 0) assert.fail(violations.join('\n'));
}
