import type { Rule } from './rule.ts';
import { marksOf } from './engine/marks.ts';

export const ownMarks: Rule = {
  name: 'own-marks',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'The labels and the finalizer by which the controller remembers what it has done are left to it. An edit is not refused: it costs a full check, and taking the finalizer away can leave a load balancer behind.',
  since: '0.1.0',
  examples: {
    before: `metadata:
  labels:
    service.beta.kubernetes.io/hash: 3fa9c1
`,
    wrong: `metadata:
  labels:
    service.beta.kubernetes.io/hash: none
`,
    right: `metadata:
  labels:
    service.beta.kubernetes.io/hash: 3fa9c1
    team: shop
`,
  },
  check: ({ object, before }) => {
    const now = marksOf(object);
    const was = before === undefined ? {} : marksOf(before.object);
    return [...new Set([...Object.keys(was), ...Object.keys(now)])]
      .filter((field) => now[field] !== was[field])
      .map((field) => ({
        field,
        found: now[field] ?? '',
        allowed:
          was[field] === undefined
            ? 'nothing, before the controller writes it'
            : `"${was[field]}", as the controller wrote it`,
        fix: 'leave it to the controller',
        advice: true as const,
      }));
  },
};
