import { CATALOGUE } from '../annotation/catalogue.ts';
import { isUnderOurPrefixes } from '../annotation/keys.ts';
import type { UnknownKey } from '../annotation/parse.ts';
import { insteadOf, isMaxQps, whyRetired } from '../annotation/unknown-keys.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import type { Violation, Rule } from './rule.ts';

/** Without this rule, users would not notice that a misspelled key has no effect, because the controller syncs the Service anyway. */
export const unknownAnnotation: Rule = {
  name: 'unknown-annotation',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Every annotation key with a prefix of this controller is a known key. A misspelled key has no effect, which is dangerous if it is meant to restrict access. The controller syncs a stored Service that has an unknown key. A known key in another spelling, such as Backend_Type, only warns.',
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
  // The key alone identifies the violation, so that a new value of a stored unknown key does not deny the request.
  const base = { field: annotationField(key), value, effective: key };
  const ineffective = { ...base, reason: value === '' ? 'Forbidden' : 'Invalid', advice: true } as const;
  if (isMaxQps(key)) return { ...ineffective, ...UNLIMITED };
  const nearestKey =
    nearest === undefined ? 'run portcullis explain to list the known keys' : `did you mean ${nearest}?`;
  const remedy = insteadOf(key) ?? nearestKey;
  if (!isUnderOurPrefixes(key)) return { ...ineffective, detail: OTHER_SPELLING, remedy };
  const currentBehavior = whyRetired(key);
  if (currentBehavior !== undefined)
    return { ...ineffective, detail: `has no effect: ${currentBehavior}`, remedy: REMOVE };
  // The violation denies requests only. The controller syncs a stored Service with an unknown key.
  const violation = {
    ...base,
    reason: 'Forbidden',
    detail: 'unknown annotation key',
    remedy,
    atApplyOnly: true,
  } as const;
  // An operator or a console may have left the empty value, which has no effect under any key.
  return value === '' ? { ...violation, remedy: REMOVE, advice: true } : violation;
}

const REMOVE = 'remove the annotation';
const OTHER_SPELLING = 'has no effect: the controller reads another spelling of the key';

const UNLIMITED = {
  detail: 'has no effect: a Classic Load Balancer does not limit requests per second',
  remedy: `to limit the bandwidth of each listener, use ${CATALOGUE.listenerBandwidth.key}`,
};
