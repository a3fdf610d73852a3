import type { Plan } from './plan.ts';

/**
 * Returns a plan as text, for the debug log of a reconcile. The actions come first, one on each line in the order of execution; the blocked actions
 * and their reasons follow.
 */
export function renderPlan<Action>(plan: Plan<Action>, describe: (action: Action) => string): string {
  if (plan.actions.length === 0 && plan.blocked.length === 0) return 'no changes\n';
  const done = plan.actions.map((action) => describe(action));
  const blocked = plan.blocked.map(({ action, rule, reason }) =>
    action === undefined ? `blocked (${rule}): ${reason}` : `blocked (${rule}): ${describe(action)}: ${reason}`,
  );
  return [...done, ...blocked].map((line) => `${line}\n`).join('');
}
