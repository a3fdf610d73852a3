import type { Plan } from './plan.ts';

/**
 * Returns a plan as text, for the debug log of the controller. Each action has a line, in the order of execution. The blocked actions and their
 * reasons follow.
 */
export function renderPlan<Action>(plan: Plan<Action>, describe: (action: Action) => string): string {
  if (plan.actions.length === 0 && plan.blocked.length === 0) return 'no changes\n';
  const done = plan.actions.map((action) => describe(action));
  const blocked = plan.blocked.map(({ action, rule, reason }) =>
    action === undefined ? `blocked (${rule}): ${reason}` : `blocked (${rule}): ${describe(action)}: ${reason}`,
  );
  return [...done, ...blocked].map((line) => `${line}\n`).join('');
}
