import { CATALOGUE, type Options } from '../annotation/catalogue.ts';
import { annotationField } from '../annotation/field.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { asFarAsPublished } from './engine/effective.ts';
import { onScheduler } from './engine/one-way-scheduler.ts';
import { asSureAs, provisioningPhaseOf } from './engine/phase.ts';

const NONE: readonly Violation[] = [];

export const oneWayChange: Rule = {
  name: 'one-way-change',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Some changes of a load balancer or a listener go one way only, and the wrong way is denied, such as back from PayByCLCU to PayBySpec, or from a scheduler to a hash (sch, tch, qch), also where the listener was left under the name of the Service on a load balancer that it reuses. A change that can never be taken back is pointed out.',
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
  const presence = provisioningPhaseOf(subject, facts);
  if (before === undefined || presence === 'none') return NONE;
  return CHANGES.flatMap(({ option, depends = option, said }) => {
    const found = parsed.options[option];
    const isChanged = [option, depends].some((name) => parsed.options[name] !== before.parsed.options[name]);
    if (found === undefined || !isChanged) return NONE;
    const fault = said(before.parsed.options, parsed.options);
    const field = annotationField(parsed.keys.get(option) ?? CATALOGUE[option].key);
    return fault === undefined
      ? NONE
      : [asSureAs(presence, facts, asFarAsPublished(before, { field, found: String(found), ...fault }))];
  });
}

type ChangeAdvice = Omit<Violation, 'field' | 'found'>;

type Changing = 'instanceChargeType' | 'chargeType' | 'bandwidth';

interface Change {
  readonly option: Changing;
  /** Another option that the option needs to take effect. A change of it counts as a change of the option. */
  readonly depends?: Changing;
  /** Returns the violation of a changed value; undefined if the change is allowed. */
  readonly said: (was: Options, is: Options) => ChangeAdvice | undefined;
}

const ANEW = 'make a second Service with it, move traffic over, then delete this one';

const CHANGES: readonly Change[] = [
  { option: 'instanceChargeType', said: onInstanceCharge },
  { option: 'chargeType', said: onCharge },
  { option: 'bandwidth', depends: 'chargeType', said: onBandwidth },
];

function onInstanceCharge(was: Options, { instanceChargeType }: Options): ChangeAdvice | undefined {
  if (instanceChargeType === 'PayByCLCU') {
    return was.instanceChargeType === 'PayBySpec' ? { ...FOR_GOOD, advice: true } : undefined;
  }
  return was.instanceChargeType === 'PayByCLCU' ? NEVER_BACK : { ...PERHAPS_NOT, advice: true };
}

const FOR_GOOD: ChangeAdvice = {
  allowed: 'PayByCLCU, but for good: the cloud does not change a load balancer back to PayBySpec',
  fix: 'be sure that spec and paybybandwidth are not needed any more, which go with PayBySpec',
};
const NEVER_BACK: ChangeAdvice = {
  allowed: 'PayByCLCU, because the cloud does not change a load balancer back to PayBySpec',
  fix: `undo the change, or ${ANEW}`,
};
const PERHAPS_NOT: ChangeAdvice = {
  allowed: 'what the load balancer has: PayByCLCU if it was made since 2025-08, which cannot be changed to PayBySpec',
  fix: `look at the load balancer first; if it is PayByCLCU, ${ANEW}`,
};

function onCharge(was: Options, { chargeType, instanceChargeType, addressType }: Options): ChangeAdvice | undefined {
  if (addressType === 'intranet') return undefined;
  if (chargeType === 'paybytraffic') {
    return was.chargeType === 'paybybandwidth' ? { ...TOMORROW, advice: true } : undefined;
  }
  return instanceChargeType === undefined ? { ...BY_SPEC_ONLY, advice: true } : undefined;
}

const TOMORROW: ChangeAdvice = {
  allowed: 'paybytraffic, which the cloud puts into effect at the following midnight',
  fix: 'wait until then',
};
const BY_SPEC_ONLY: ChangeAdvice = {
  allowed: 'paybytraffic, unless the load balancer is PayBySpec, as those made before 2025-08 are',
  fix: `look at the load balancer first; if it is PayByCLCU, ${ANEW}`,
};

/** The highest bandwidth of an existing load balancer, in Mbit/s. Creation allows more. */
const MOST_LATER = 5_000;

function onBandwidth(was: Options, { chargeType, addressType, bandwidth = 0 }: Options): ChangeAdvice | undefined {
  if (chargeType !== 'paybybandwidth' || addressType === 'intranet' || bandwidth <= MOST_LATER) return undefined;
  return was.bandwidth === undefined ? { ...PERHAPS_AT_BIRTH, advice: true } : NO_MORE;
}

const NO_MORE: ChangeAdvice = {
  allowed: `at most ${MOST_LATER}, once the load balancer is there`,
  fix: `write ${MOST_LATER} or less, or ${ANEW}`,
};
/** Advice for an annotation that was unset before: the load balancer may have had this bandwidth since its creation. */
const PERHAPS_AT_BIRTH: ChangeAdvice = {
  allowed: `at most ${MOST_LATER}, unless the load balancer has had this since it was made`,
  fix: `look at the load balancer first; if it has another, ${NO_MORE.fix}`,
};
