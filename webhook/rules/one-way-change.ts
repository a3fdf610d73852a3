import { CATALOGUE, type Options } from '../../src/annotation/catalogue.ts';
import { choice } from '../../src/annotation/says.ts';
import { annotationField } from '../../src/annotation/field.ts';
import { among } from '../../src/clb/among.ts';
import { listenerKey } from '../../src/clb/state.ts';
import type { Fault, Rule, ServiceSubject } from './rule.ts';
import { askedBy, managesListeners } from './engine/listeners.ts';
import { asSureAs, presenceOf } from './engine/presence.ts';

const NONE: readonly Fault[] = [];

export const oneWayChange: Rule = {
  name: 'one-way-change',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  judgesChangesOnly: true,
  doc: 'Some changes of a load balancer or a listener go one way only, and the wrong way is refused, such as back from PayByCLCU to PayBySpec, or from a scheduler to a hash (sch, tch, qch). A change that can never be taken back is pointed out.',
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
    const { before, parsed } = subject;
    const presence = presenceOf(subject, facts);
    if (before === undefined || presence === 'none') return NONE;
    return CHANGES.flatMap(({ option, depends = option, said }) => {
      const found = parsed.options[option];
      const isChanged = [option, depends].some((name) => parsed.options[name] !== before.parsed.options[name]);
      if (found === undefined || !isChanged) return NONE;
      // Where there is a listener, an address is told.
      if (option === 'scheduler' && presence !== 'served') return NONE;
      const fault = said(before.parsed.options, subject);
      const field = annotationField(parsed.keys.get(option) ?? CATALOGUE[option].key);
      return fault === undefined ? NONE : [asSureAs(presence, facts, { field, found: String(found), ...fault })];
    });
  },
};

type Said = Omit<Fault, 'field' | 'found'>;

type Changing = 'scheduler' | 'instanceChargeType' | 'chargeType' | 'bandwidth';

interface Change {
  readonly option: Changing;
  /** Another without which it is not carried out: it changes with that one, too. */
  readonly depends?: Changing;
  /** What is wrong with a value that was another before. */
  readonly said: (was: Options, subject: ServiceSubject) => Said | undefined;
}

const ANEW = 'make a second Service with it, move traffic over, then delete this one';

const CHANGES: readonly Change[] = [
  { option: 'scheduler', said: onScheduler },
  { option: 'instanceChargeType', said: onInstanceCharge },
  { option: 'chargeType', said: onCharge },
  { option: 'bandwidth', depends: 'chargeType', said: onBandwidth },
];

const HASHES: ReadonlySet<string> = new Set(['sch', 'tch', 'qch']);

/** The cloud changes no scheduler into a hash, nor one hash into another. A listener that is made anew can have any. */
function onScheduler(was: Options, subject: ServiceSubject): Said | undefined {
  const { before, parsed } = subject;
  if (!HASHES.has(parsed.options.scheduler ?? '') || !managesListeners(subject)) return undefined;
  // Listeners that were not managed until now may have any.
  if (before === undefined || !managesListeners(before)) return undefined;
  const stays = askedBy(subject).find(among(askedBy(before), listenerKey));
  if (stays === undefined) return undefined;
  return {
    allowed: `${choice([...new Set([was.scheduler ?? 'rr', 'rr', 'wrr'])])}, because the listener on port ${stays.port} is there, and the cloud cannot make it ${parsed.options.scheduler ?? 'that'}`,
    fix: `undo the change, or remove the port, and add it again with ${parsed.options.scheduler ?? 'it'}`,
  };
}

function onInstanceCharge(was: Options, { parsed }: ServiceSubject): Said | undefined {
  if (parsed.options.instanceChargeType === 'PayByCLCU') {
    return was.instanceChargeType === 'PayBySpec' ? { ...FOR_GOOD, advice: true } : undefined;
  }
  return was.instanceChargeType === 'PayByCLCU' ? NEVER_BACK : { ...PERHAPS_NOT, advice: true };
}

const FOR_GOOD: Said = {
  allowed: 'PayByCLCU, but for good: the cloud does not change a load balancer back to PayBySpec',
  fix: 'be sure that spec and paybybandwidth are not needed any more, which go with PayBySpec',
};
const NEVER_BACK: Said = {
  allowed: 'PayByCLCU, because the cloud does not change a load balancer back to PayBySpec',
  fix: `undo the change, or ${ANEW}`,
};
const PERHAPS_NOT: Said = {
  allowed: 'what the load balancer has: PayByCLCU if it was made since 2025-08, which cannot be changed to PayBySpec',
  fix: `look at the load balancer first; if it is PayByCLCU, ${ANEW}`,
};

function onCharge(was: Options, { parsed }: ServiceSubject): Said | undefined {
  const { chargeType, instanceChargeType, addressType } = parsed.options;
  if (addressType === 'intranet') return undefined;
  if (chargeType === 'paybytraffic') {
    return was.chargeType === 'paybybandwidth' ? { ...TOMORROW, advice: true } : undefined;
  }
  return instanceChargeType === undefined ? { ...BY_SPEC_ONLY, advice: true } : undefined;
}

const TOMORROW: Said = {
  allowed: 'paybytraffic, which the cloud puts into effect at the following midnight',
  fix: 'wait until then',
};
const BY_SPEC_ONLY: Said = {
  allowed: 'paybytraffic, unless the load balancer is PayBySpec, as those made before 2025-08 are',
  fix: `look at the load balancer first; if it is PayByCLCU, ${ANEW}`,
};

/** More can be had at birth than later. */
const MOST_LATER = 5_000;

function onBandwidth(_was: Options, { parsed }: ServiceSubject): Said | undefined {
  const { chargeType, addressType, bandwidth = 0 } = parsed.options;
  if (chargeType !== 'paybybandwidth' || addressType === 'intranet' || bandwidth <= MOST_LATER) return undefined;
  return {
    allowed: `at most ${MOST_LATER}, once the load balancer is there`,
    fix: `write ${MOST_LATER} or less, or ${ANEW}`,
  };
}
