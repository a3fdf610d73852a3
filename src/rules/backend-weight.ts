import type { Facts } from '../inventory/facts.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { backendTypeOf } from './engine/backend-type.ts';
import { isUnreadable, managesListeners } from './engine/listeners.ts';
import { writtenAs } from './engine/written.ts';

const NONE: readonly Violation[] = [];

/** Schedulers that use weights. */
const WEIGHTED: ReadonlySet<string> = new Set(['wrr', 'wlc']);

export const backendWeight: Rule = {
  name: 'backend-weight',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'Weights that mean nothing are pointed out: only the schedulers wrr and wlc look at them, a share (weight) is one of server groups named by vgroup-port, and with externalTrafficPolicy Local a node weighs as much as it has pods, whatever default-weight says.',
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
    const faults: Violation[] = [];
    const tell = (option: 'weight' | 'defaultWeight', said: WeightAdvice | undefined): void => {
      if (said !== undefined) faults.push({ ...writtenAs(option, subject), ...said, advice: true });
    };
    if (share !== undefined) tell('weight', sharesGroups(subject) ? unread(share, subject) : ALONE);
    if (defaultWeight !== undefined) tell('defaultWeight', overruled(subject, facts) ?? unread(defaultWeight, subject));
    return faults;
  },
};

type WeightAdvice = Pick<Violation, 'allowed' | 'fix'>;

/** Returns whether the Service has backends in user-managed server groups. Only there does `weight`, a share, apply. */
const sharesGroups = ({ parsed }: ServiceSubject): boolean =>
  (parsed.options.id !== undefined || isUnreadable(parsed, 'id')) &&
  (parsed.options.vgroupPort !== undefined || isUnreadable(parsed, 'vgroupPort'));

const ALONE: WeightAdvice = {
  allowed: 'nothing, because it counts only with id and vgroup-port',
  fix: 'set both, or remove it; default-weight is that of a single backend',
};

function overruled(subject: ServiceSubject, facts: Facts): WeightAdvice | undefined {
  if (subject.parsed.options.weight !== undefined && sharesGroups(subject)) return SHARED;
  return subject.object.spec?.externalTrafficPolicy === 'Local' && backendTypeOf(subject, facts) === 'ecs'
    ? COMPUTED
    : undefined;
}

const SHARED: WeightAdvice = {
  allowed: 'nothing, because weight is set, which counts instead',
  fix: 'remove one of them',
};

const COMPUTED: WeightAdvice = {
  allowed: 'nothing, because with externalTrafficPolicy Local a node weighs as much as it has pods',
  fix: 'remove it, or set externalTrafficPolicy to Cluster',
};

/**
 * Returns advice if the scheduler ignores weights. An existing listener may have any scheduler, so the annotation must be set. Weight 0 always
 * applies.
 */
function unread(value: number, subject: ServiceSubject): WeightAdvice | undefined {
  const { scheduler } = subject.parsed.options;
  if (value === 0 || !managesListeners(subject) || scheduler === undefined || WEIGHTED.has(scheduler)) return undefined;
  return {
    allowed: `nothing, because the scheduler ${scheduler} does not look at weights`,
    fix: 'set scheduler to wrr, or remove it',
  };
}
