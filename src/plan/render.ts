import type { Plan } from './plan.ts';

/** Returns a plan as text with a line for each action, followed by the blocked actions and their reasons. */
export function renderPlan<Action>(plan: Plan<Action>, describe: (action: Action) => string): string {
  if (plan.actions.length === 0 && plan.blocked.length === 0) return 'no changes\n';
  const done = plan.actions.map((action) => describe(action));
  const blocked = plan.blocked.map(({ action, rule, reason }) =>
    action === undefined ? `blocked (${rule}): ${reason}` : `blocked (${rule}): ${describe(action)}: ${reason}`,
  );
  return [...done, ...blocked].map((line) => `${line}\n`).join('');
}
