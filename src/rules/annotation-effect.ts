import type { OptionName } from '../annotation/catalogue.ts';
import type { OptionDefinition } from '../annotation/option-definition.ts';
import { protocolsOf } from '../annotation/phrases.ts';
import { choice } from '../annotation/allowed-values.ts';
import type { Violation, Rule } from './rule.ts';
import { managesListeners } from './engine/listeners.ts';
import {
  fieldOf,
  otherValue,
  placesIn,
  redirects,
  shortName,
  textOf,
  RELATED,
  voidingTie,
  type RelationContext,
  type ListenerScope,
  type Tie,
  type ActiveRelation,
} from './engine/relations.ts';
import { together } from './engine/together.ts';

type EffectAdvice = Pick<Violation, 'allowed' | 'fix'>;

/** Options that HTTP and HTTPS listeners fulfil in any case: they probe by HTTP. Vendor examples set this option anyway. */
const TRUE_ANYHOW: ReadonlySet<OptionName> = new Set(['healthCheckType']);

/** Annotations by scope. Annotations with the same scope have an effect together or not at all. */
const BY_PLACES: readonly { readonly wanted: ListenerScope; readonly tied: readonly ActiveRelation[] }[] = [
  ...Map.groupBy(RELATED, ({ places }) => places),
].map(([wanted, tied]) => ({ wanted, tied }));
const CONDITIONAL: readonly ActiveRelation[] = RELATED.filter(
  ({ ties, entry }) => ties['no-effect'].length > 0 || entry.onReused === 'ignored',
);

export const annotationEffect: Rule = {
  name: 'annotation-effect',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'Annotations that do nothing on this Service are pointed out: they are for other protocols, for listeners that are not managed, or need another annotation. A list of who may connect that is not switched on is among them.',
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-request-timeout: "30"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-acl-id: acl-bp1l0kk4gxce43k6rxeb
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-protocol-port: http:80
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-request-timeout: "30"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-acl-id: acl-bp1l0kk4gxce43k6rxeb
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-acl-type: white
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-acl-status: "on"
`,
  },
  check: (subject, facts) => {
    const { keys } = subject.parsed;
    const look = { subject, facts };
    const places = placesIn(subject);
    let faults: Violation[] | undefined;
    for (const { wanted, tied } of BY_PLACES) {
      if ((wanted & places) !== 0) continue;
      for (const one of tied) {
        if (keys.isAt(one.index) && !isAtRest(one, look))
          (faults ??= []).push(idle(one, look, nowhere(one.entry, look, places)));
      }
    }
    for (const one of CONDITIONAL) {
      if (!keys.isAt(one.index)) continue;
      const said = reasonAgainst(one, look, places);
      if (said !== undefined && !isAtRest(one, look)) (faults ??= []).push(idle(one, look, said));
    }
    const short = shortTimeouts(look, places);
    return faults === undefined ? short : together(faults, short);
  },
};

/** Returns whether the value of an annotation equals its default or cannot be read. */
function isAtRest({ option, index, entry }: ActiveRelation, { subject }: RelationContext): boolean {
  const value = subject.parsed.values.at(index);
  if (value === undefined || (TRUE_ANYHOW.has(option) && managesListeners(subject))) return true;
  const isChoice = entry.value.kind === 'enum' || entry.value.kind === 'flag' || entry.value.kind === 'boolean';
  return isChoice && (value === 'off' || value === false || value === (entry.default ?? entry.cloudDefault));
}

const idle = ({ option }: ActiveRelation, { subject }: RelationContext, said: EffectAdvice): Violation => ({
  field: fieldOf(option, subject),
  found: textOf(option, subject),
  ...said,
  advice: true,
});

function nowhere(entry: OptionDefinition, { subject }: RelationContext, places: ListenerScope): EffectAdvice {
  if (!managesListeners(subject)) return UNMANAGED;
  const protocols = choice(protocolsOf(entry));
  const isHttp = protocols.includes('http');
  const none = isHttp && redirects(places) ? 'only ones that redirect' : 'none';
  return {
    allowed: `nothing, because it is for ${protocols} listeners, of which this Service has ${none}`,
    fix: isHttp ? `remove it, or make a port ${protocols} by protocol-port` : 'remove it',
  };
}

const UNMANAGED: EffectAdvice = {
  allowed: 'nothing, because the listeners of a reused load balancer are left as they are',
  fix: 'remove it, or set force-override-listeners to "true"',
};

const REUSED: EffectAdvice = {
  allowed: 'nothing, because the load balancer is reused: it is neither created nor deleted with this Service',
  fix: 'remove it',
};

function reasonAgainst(tied: ActiveRelation, look: RelationContext, places: ListenerScope): EffectAdvice | undefined {
  if (tied.entry.onReused === 'ignored' && look.subject.parsed.options.id !== undefined) return REUSED;
  const tie = voidingTie(tied, look, places);
  return tie === undefined || isSwitchedOff(tie, look) ? undefined : unmet(tie, look);
}

/** Returns whether a user switched off the feature of the annotation. Then it is no surprise that the annotation has no effect. */
const isSwitchedOff = ({ other, isConflict }: Tie, { subject }: RelationContext): boolean =>
  !isConflict && subject.parsed.options[other] === 'off';

function unmet(tie: Tie, look: RelationContext): EffectAdvice {
  const name = shortName(tie.other);
  if (tie.isConflict) {
    return {
      allowed: `nothing, because ${name} is ${String(otherValue(tie, look))}`,
      fix: `remove it, or change or remove ${name}`,
    };
  }
  const { values, on } = tie.relation;
  const where = on === undefined ? '' : ` on ${choice(on)} listeners`;
  const value = choice((values ?? []).map((one) => `"${one}"`));
  return {
    allowed: `nothing, because it counts only with ${values === undefined ? name : `${name} ${value}`}${where}`,
    fix: `set ${values === undefined ? name : `${name} to ${value}`}, or remove it`,
  };
}

const TIMEOUTS: readonly ActiveRelation[] = RELATED.filter(
  ({ option }) => option === 'healthCheckTimeout' || option === 'healthCheckConnectTimeout',
);
const NONE: readonly never[] = [];

/** Returns advice for a probe time-out below the probe interval: the cloud raises the time-out to the interval. */
function shortTimeouts(look: RelationContext, places: ListenerScope): readonly Violation[] {
  const { options, values } = look.subject.parsed;
  const { healthCheckInterval: interval, healthCheckTimeout, healthCheckConnectTimeout } = options;
  if (interval === undefined || (healthCheckTimeout ?? healthCheckConnectTimeout) === undefined) return NONE;
  const isShort = ({ index, places: at }: ActiveRelation): boolean => {
    const timeout = values.at(index);
    return typeof timeout === 'number' && timeout < interval && (at & places) !== 0;
  };
  if (!TIMEOUTS.some(isShort)) return NONE;
  return TIMEOUTS.filter(isShort).map((tied) =>
    idle(tied, look, {
      allowed: `${interval} or more, because the time-out of a probe is raised to health-check-interval`,
      fix: `write at least ${interval}, or a shorter interval`,
    }),
  );
}
