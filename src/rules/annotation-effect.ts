import type { OptionName } from '../annotation/catalogue.ts';
import { protocolsOf, type OptionDefinition } from '../annotation/option-definition.ts';
import { choice } from '../annotation/allowed-values.ts';
import type { Violation, Rule } from './rule.ts';
import { managesListeners } from './engine/service-listeners.ts';
import {
  fieldOf,
  otherValue,
  scopeIn,
  redirects,
  shortName,
  textOf,
  RELATED,
  disablingRelation,
  type RelationContext,
  type ListenerScope,
  type OptionRelation,
  type RelatedOption,
} from './engine/annotation-relations.ts';
import { concatenate } from './engine/concatenate.ts';

type EffectAdvice = Pick<Violation, 'detail' | 'remedy'>;

/** Options that get no warning on managed listeners, because vendor examples set health-check-type on HTTP listeners, which always probe by HTTP. */
const TOLERATED: ReadonlySet<OptionName> = new Set(['healthCheckType']);

/** Annotations by scope, the set of listeners that they affect. On a Service, either all annotations of a scope can have an effect, or none. */
const BY_SCOPE: readonly { readonly wanted: ListenerScope; readonly related: readonly RelatedOption[] }[] = [
  ...Map.groupBy(RELATED, ({ scope }) => scope),
].map(([wanted, related]) => ({ wanted, related }));
/** Annotations that can lose their effect on a reused load balancer, or because of another annotation. */
const CONDITIONAL: readonly RelatedOption[] = RELATED.filter(
  ({ relations, entry }) => relations['no-effect'].length > 0 || entry.onReused === 'ignored',
);

/** Only warns. Without the warnings, users would not learn why an annotation changes nothing. */
export const annotationEffect: Rule = {
  name: 'annotation-effect',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'The rule warns about annotations that have no effect on the Service. They apply to other protocols or to listeners that are not managed, or they need another annotation. For example, an access control list has no effect until acl-status is on.',
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
    const context = { subject, facts };
    const scope = scopeIn(subject);
    let violations: Violation[] | undefined;
    for (const { wanted, related } of BY_SCOPE) {
      if ((wanted & scope) !== 0) continue;
      for (const one of related) {
        if (keys.isAt(one.index) && !isHarmless(one, context))
          (violations ??= []).push(warningOf(one, context, withoutListener(one.entry, context, scope)));
      }
    }
    for (const one of CONDITIONAL) {
      if (!keys.isAt(one.index)) continue;
      const advice = reasonAgainst(one, context, scope);
      if (advice !== undefined && !isHarmless(one, context)) (violations ??= []).push(warningOf(one, context, advice));
    }
    const short = shortTimeouts(context, scope);
    return violations === undefined ? short : concatenate(violations, short);
  },
};

/** Returns whether an annotation without effect needs no warning, because its value is invalid, is off, equals the default, or is tolerated. */
function isHarmless({ option, index, entry }: RelatedOption, { subject }: RelationContext): boolean {
  const value = subject.parsed.values.at(index);
  if (value === undefined || (TOLERATED.has(option) && managesListeners(subject))) return true;
  const isChoice = entry.value.kind === 'enum' || entry.value.kind === 'flag' || entry.value.kind === 'boolean';
  return isChoice && (value === 'off' || value === false || value === (entry.default ?? entry.cloudDefault));
}

const warningOf = ({ option }: RelatedOption, { subject }: RelationContext, advice: EffectAdvice): Violation => ({
  field: fieldOf(option, subject),
  reason: 'Invalid',
  value: textOf(option, subject),
  ...advice,
  advice: true,
});

/** Returns the warning about an annotation that affects no listener of the Service. */
function withoutListener(entry: OptionDefinition, { subject }: RelationContext, scope: ListenerScope): EffectAdvice {
  if (!managesListeners(subject)) return UNMANAGED;
  const protocols = choice(protocolsOf(entry));
  const isHttp = protocols.includes('http');
  const onlyRedirects = isHttp && redirects(scope) ? ' besides listeners that redirect' : '';
  return {
    detail: `has no effect: the Service has no ${protocols} listener${onlyRedirects}`,
    remedy: isHttp ? `remove the annotation, or map a port to ${protocols} with protocol-port` : REMOVE,
  };
}

const REMOVE = 'remove the annotation';

const UNMANAGED: EffectAdvice = {
  detail: 'has no effect: the controller does not change the listeners of a reused load balancer',
  remedy: 'remove the annotation, or set force-override-listeners to "true"',
};

const REUSED: EffectAdvice = {
  detail: 'has no effect: the controller neither creates nor deletes a reused load balancer',
  remedy: REMOVE,
};

/** Returns the reason why an annotation has no effect. Returns undefined if the annotation has an effect or needs no warning. */
function reasonAgainst(
  related: RelatedOption,
  context: RelationContext,
  scope: ListenerScope,
): EffectAdvice | undefined {
  if (related.entry.onReused === 'ignored' && context.subject.parsed.options.id !== undefined) return REUSED;
  const optionRelation = disablingRelation(related, context, scope);
  return optionRelation === undefined || isSwitchedOff(optionRelation, context)
    ? undefined
    : unmet(optionRelation, context);
}

/** Returns whether a user switched off the feature of the annotation. The user then expects no effect and needs no warning. */
const isSwitchedOff = ({ other, isConflict }: OptionRelation, { subject }: RelationContext): boolean =>
  !isConflict && subject.parsed.options[other] === 'off';

function unmet(optionRelation: OptionRelation, context: RelationContext): EffectAdvice {
  const name = shortName(optionRelation.other);
  if (optionRelation.isConflict) {
    return {
      detail: `has no effect: ${name} is ${String(otherValue(optionRelation, context))}`,
      remedy: `remove the annotation, or change ${name}`,
    };
  }
  const { values, on } = optionRelation.relation;
  const where = on === undefined ? '' : ` on ${choice(on)} listeners`;
  const value = choice((values ?? []).map((one) => `"${one}"`));
  return {
    detail: `has no effect${where} without ${values === undefined ? name : `${name} ${value}`}`,
    remedy: `set ${name}, or remove the annotation`,
  };
}

const TIMEOUTS: readonly RelatedOption[] = RELATED.filter(
  ({ option }) => option === 'healthCheckTimeout' || option === 'healthCheckConnectTimeout',
);
const NONE: readonly never[] = [];

/** Returns a warning for a probe timeout below the probe interval, because the cloud raises the timeout to the interval. */
function shortTimeouts(context: RelationContext, scope: ListenerScope): readonly Violation[] {
  const { options, values } = context.subject.parsed;
  const { healthCheckInterval: interval, healthCheckTimeout, healthCheckConnectTimeout } = options;
  if (interval === undefined || (healthCheckTimeout ?? healthCheckConnectTimeout) === undefined) return NONE;
  const isShort = ({ index, scope: at }: RelatedOption): boolean => {
    const timeout = values.at(index);
    return typeof timeout === 'number' && timeout < interval && (at & scope) !== 0;
  };
  if (!TIMEOUTS.some(isShort)) return NONE;
  return TIMEOUTS.filter(isShort).map((related) =>
    warningOf(related, context, {
      detail: `must be at least ${interval}: the cloud raises the timeout to health-check-interval`,
      remedy: 'to keep the timeout, use a shorter interval',
    }),
  );
}
