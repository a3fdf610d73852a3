import type { Plan } from './plan.ts';

/** A plan as text for a person: one line an action in the order of doing, then what is withheld and why. */
export function renderPlan<Action>(plan: Plan<Action>, describe: (action: Action) => string): string {
  if (plan.actions.length === 0 && plan.withheld.length === 0) return 'nothing to do\n';
  const done = plan.actions.map((action) => describe(action));
  const withheld = plan.withheld.map(({ action, rule, reason }) =>
    action === undefined ? `withheld (${rule}): ${reason}` : `withheld (${rule}): ${describe(action)}: ${reason}`,
  );
  return [...done, ...withheld].map((line) => `${line}\n`).join('');
}
