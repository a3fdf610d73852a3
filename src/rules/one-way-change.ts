import { CATALOGUE, type Options } from '../annotation/catalogue.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { warnUnlessReconciled } from './engine/unproven-immutable-value.ts';
import { onScheduler } from './engine/one-way-scheduler.ts';
import { adaptToPhase, provisioningPhaseOf } from './engine/provisioning-phase.ts';

const NONE: readonly Violation[] = [];

/** Without this rule, the load balancer would never match the Service, because the cloud rejects a change in the wrong direction. */
export const oneWayChange: Rule = {
  name: 'one-way-change',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'The cloud supports some changes in one direction only. The rule denies the other direction, such as from PayByCLCU to PayBySpec, or from a scheduler to a hash (sch, tch, qch). It also checks the listeners of the Service on a reused load balancer. It warns about a change that cannot be undone.',
  since: '0.1.0',
  examples: {
    before: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler: wrr
`,
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler: sch
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler: rr
`,
  },
  check: (subject, facts) => {
    const scheduler = onScheduler(subject, facts);
    const changes = changesOf(subject, facts);
    return scheduler === undefined ? changes : [scheduler, ...changes];
  },
};

function changesOf(subject: ServiceSubject, facts: Facts): readonly Violation[] {
  const { before, parsed } = subject;
  const phase = provisioningPhaseOf(subject, facts);
  if (before === undefined || phase === 'none') return NONE;
  return CHANGES.flatMap(({ option, depends = option, adviceOn }) => {
    const value = parsed.options[option];
    const isChanged = [option, depends].some((name) => parsed.options[name] !== before.parsed.options[name]);
    if (value === undefined || !isChanged) return NONE;
    const advice = adviceOn(before.parsed.options, parsed.options);
    const field = annotationField(parsed.keys.get(option) ?? CATALOGUE[option].key);
    if (advice === undefined) return NONE;
    const violation: Violation = { field, reason: 'Invalid', value: String(value), ...advice };
    return [adaptToPhase(phase, facts, warnUnlessReconciled(before, violation))];
  });
}

type ChangeAdvice = Omit<Violation, 'field' | 'reason' | 'value'>;

type Changing = 'instanceChargeType' | 'chargeType' | 'bandwidth';

interface Change {
  readonly option: Changing;
  /** Another option, on which the effect of `option` depends. A change of the other option counts as a change of `option`. */
  readonly depends?: Changing;
  /** Returns the violation of a changed value. Returns undefined if the change is allowed. */
  readonly adviceOn: (was: Options, is: Options) => ChangeAdvice | undefined;
}

const ANEW = 'create a second Service with this value, move the traffic, and delete this Service';

const CHANGES: readonly Change[] = [
  { option: 'instanceChargeType', adviceOn: onInstanceCharge },
  { option: 'chargeType', adviceOn: onCharge },
  { option: 'bandwidth', depends: 'chargeType', adviceOn: onBandwidth },
];

function onInstanceCharge(was: Options, { instanceChargeType }: Options): ChangeAdvice | undefined {
  if (instanceChargeType === 'PayByCLCU') {
    return was.instanceChargeType === 'PayBySpec' ? { ...IRREVERSIBLE, advice: true } : undefined;
  }
  return was.instanceChargeType === 'PayByCLCU' ? NEVER_BACK : { ...PERHAPS_NOT, advice: true };
}

const IRREVERSIBLE: ChangeAdvice = {
  detail: 'the change cannot be undone: the cloud does not change a load balancer back to PayBySpec',
  remedy: 'keep PayBySpec if you need spec or paybybandwidth',
};
const NEVER_BACK: ChangeAdvice = {
  detail: 'must be PayByCLCU: the cloud does not change a load balancer back to PayBySpec',
  remedy: `undo the change, or ${ANEW}`,
};
const PERHAPS_NOT: ChangeAdvice = {
  detail: 'has no effect on a load balancer of type PayByCLCU, the default since 2025-08',
  remedy: `check the load balancer first; if it is PayByCLCU, ${ANEW}`,
};

function onCharge(was: Options, { chargeType, instanceChargeType, addressType }: Options): ChangeAdvice | undefined {
  if (addressType === 'intranet') return undefined;
  if (chargeType === 'paybytraffic') {
    return was.chargeType === 'paybybandwidth' ? { ...TOMORROW, advice: true } : undefined;
  }
  return instanceChargeType === undefined ? { ...BY_SPEC_ONLY, advice: true } : undefined;
}

const TOMORROW: ChangeAdvice = {
  detail: 'takes effect at the next midnight',
};
const BY_SPEC_ONLY: ChangeAdvice = {
  detail: 'requires a load balancer of type PayBySpec, the default before 2025-08',
  remedy: `check the load balancer first; if it is PayByCLCU, ${ANEW}`,
};

/** The highest bandwidth of an existing load balancer, in Mbit/s. Creation allows more. */
const MOST_LATER = 5_000;

function onBandwidth(was: Options, { chargeType, addressType, bandwidth = 0 }: Options): ChangeAdvice | undefined {
  if (chargeType !== 'paybybandwidth' || addressType === 'intranet' || bandwidth <= MOST_LATER) return undefined;
  return was.bandwidth === undefined ? { ...PERHAPS_AT_CREATION, advice: true } : NO_MORE;
}

const NO_MORE: ChangeAdvice = {
  detail: `must be at most ${MOST_LATER} for an existing load balancer`,
  remedy: `for more, ${ANEW}`,
};
/** The warning, instead of a denial, for an annotation that was unset before: the load balancer may have had this bandwidth since its creation. */
const PERHAPS_AT_CREATION: ChangeAdvice = {
  detail: `must be at most ${MOST_LATER}, unless the load balancer was created with this value`,
  remedy: `check the load balancer first; if its bandwidth differs, use ${MOST_LATER} or less, or ${ANEW}`,
};
