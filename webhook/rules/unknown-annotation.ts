import type { Rule } from './rule.ts';
import { annotationField } from './engine/listeners.ts';

export const unknownAnnotation: Rule = {
  name: 'unknown-annotation',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Every annotation key under the prefixes of this controller is one that it knows. A misspelt key does nothing, which is dangerous when it was meant to keep somebody out.',
  check: ({ parsed }) =>
    parsed.unknown.map(({ key, nearest }) => ({
      field: annotationField(key),
      found: key,
      allowed: 'a key that the controller knows',
      fix: nearest === undefined ? 'remove it, or write the right one' : `write ${nearest}, or remove it`,
    })),
};
