import type { Facts } from '../inventory/facts.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { backendTypeOf } from './engine/backend-type.ts';
import { isUnreadable, managesListeners } from './engine/service-listeners.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

/** Schedulers that use weights. */
const WEIGHTED: ReadonlySet<string> = new Set(['wrr', 'wlc']);

/** Only warns, because the backends get traffic anyway, although not in the proportions of the weights. */
export const backendWeight: Rule = {
  name: 'backend-weight',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'The rule warns about weights that have no effect. Only the schedulers wrr and wlc use weights. The annotation weight applies to server groups that vgroup-port names. With externalTrafficPolicy Local, the weight of a node is the number of its pods.',
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-default-weight: "50"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler: wrr
spec:
  externalTrafficPolicy: Local
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-default-weight: "50"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler: wrr
spec:
  externalTrafficPolicy: Cluster
`,
  },
  check: (subject, facts) => {
    const { weight: share, defaultWeight } = subject.parsed.options;
    if (share === undefined && defaultWeight === undefined) return NONE;
    const violations: Violation[] = [];
    const add = (option: 'weight' | 'defaultWeight', advice: WeightAdvice | undefined): void => {
      if (advice !== undefined)
        violations.push({ ...writtenAs(option, subject), reason: 'Invalid', ...advice, advice: true });
    };
    if (share !== undefined) add('weight', sharesGroups(subject) ? ignored(share, subject) : ALONE);
    if (defaultWeight !== undefined) add('defaultWeight', overruled(subject, facts) ?? ignored(defaultWeight, subject));
    return violations;
  },
};

type WeightAdvice = Pick<Violation, 'detail' | 'remedy'>;

/** Returns whether the Service has backends in user-managed server groups. The annotation `weight` applies only to such groups. */
const sharesGroups = ({ parsed }: ServiceSubject): boolean =>
  (parsed.options.id !== undefined || isUnreadable(parsed, 'id')) &&
  (parsed.options.vgroupPort !== undefined || isUnreadable(parsed, 'vgroupPort'));

const ALONE: WeightAdvice = {
  detail: 'has no effect without id and vgroup-port',
  remedy: 'set both, or remove the annotation; to set the weight of each backend, use default-weight',
};

/** Returns the reason why something other than `default-weight` sets the weights. Returns undefined if `default-weight` applies. */
function overruled(subject: ServiceSubject, facts: Facts): WeightAdvice | undefined {
  if (subject.parsed.options.weight !== undefined && sharesGroups(subject)) return SHARED;
  return subject.object.spec?.externalTrafficPolicy === 'Local' && backendTypeOf(subject, facts) === 'ecs'
    ? COMPUTED
    : undefined;
}

const SHARED: WeightAdvice = {
  detail: 'has no effect: weight is set',
  remedy: 'remove one of the two annotations',
};

const COMPUTED: WeightAdvice = {
  detail: 'has no effect: with externalTrafficPolicy Local, the weight of a node is the number of its pods',
  remedy: 'remove the annotation, or set externalTrafficPolicy to Cluster',
};

/** Returns a warning if the annotation `scheduler` names a scheduler that ignores weights. */
function ignored(value: number, subject: ServiceSubject): WeightAdvice | undefined {
  const { scheduler } = subject.parsed.options;
  // Weight 0 applies with every scheduler. Without the annotation `scheduler`, the scheduler of an existing listener is unknown.
  if (value === 0 || !managesListeners(subject) || scheduler === undefined || WEIGHTED.has(scheduler)) return undefined;
  return {
    detail: `has no effect: the scheduler ${scheduler} ignores weights`,
    remedy: 'set scheduler to wrr, or remove the annotation',
  };
}
