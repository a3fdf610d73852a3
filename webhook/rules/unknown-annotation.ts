import type { Rule } from './rule.ts';
import { annotationField } from './engine/listeners.ts';

export const unknownAnnotation: Rule = {
  name: 'unknown-annotation',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Every annotation key under the prefixes of this controller is one that it knows. A misspelt key does nothing, which is dangerous when it was meant to keep somebody out.',
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-health-check-healthy-threshold: "3"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-healthy-threshold: "3"
`,
  },
  check: ({ parsed }) =>
    parsed.unknown.map(({ key, nearest }) => ({
      field: annotationField(key),
      found: key,
      allowed: 'a key that the controller knows',
      fix: nearest === undefined ? 'remove it, or write the right one' : `write ${nearest}, or remove it`,
    })),
};
