import { CATALOGUE } from '../annotation/catalogue.ts';
import { isUnderOurPrefixes } from '../annotation/keys.ts';
import type { UnknownKey } from '../annotation/parse.ts';
import { insteadOf, isMaxQps, obsoleteFor } from '../annotation/unknown.ts';
import { annotationField } from '../annotation/field.ts';
import type { Violation, Rule } from './rule.ts';

export const unknownAnnotation: Rule = {
  name: 'unknown-annotation',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Every annotation key under the prefixes of this controller is one that it knows. A misspelt key does nothing, which is dangerous when it was meant to keep somebody out. What is stored with one is served all the same. A key of this controller in another spelling, such as Backend_Type, is a warning.',
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
  check: ({ object, parsed }) =>
    parsed.unknown.length === 0
      ? NONE
      : parsed.unknown.map((unknown) => violationOf(unknown, object.metadata.annotations?.[unknown.key] ?? '')),
};

const NONE: readonly Violation[] = [];

function violationOf({ key, nearest }: UnknownKey, value: string): Violation {
  const said = { field: annotationField(key), found: key };
  if (isMaxQps(key)) return { ...said, ...UNLIMITED, advice: true };
  const written =
    nearest === undefined ? 'remove it, or write one that portcullis explain lists' : `write ${nearest}, or remove it`;
  const fix = insteadOf(key) ?? written;
  if (!isUnderOurPrefixes(key)) return { ...said, allowed: OTHER_SPELLING, fix, advice: true };
  const counts = obsoleteFor(key);
  if (counts !== undefined) return { ...said, allowed: `nothing, because ${counts}`, fix: 'remove it', advice: true };
  // Denies requests only: an unknown key does not prevent the controller from applying a stored Service.
  const fault = { ...said, allowed: 'a key that the controller knows', fix, atApplyOnly: true as const };
  // An operator or a console may have left the empty value, which has no meaning under any key.
  return value === '' ? { ...fault, fix: 'remove it', advice: true } : fault;
}

const OTHER_SPELLING = 'a key that the controller knows, in exactly its spelling';

const UNLIMITED = {
  allowed: 'nothing, because a classic load balancer limits no requests a second, and of listeners only the bandwidth',
  fix: `remove it, or limit the bandwidth of each listener by ${CATALOGUE.listenerBandwidth.key}`,
};
