import { CATALOGUE } from '../annotation/catalogue.ts';
import type { ParsedAnnotations } from '../annotation/parse.ts';
import { hasFinalizer, isPublished, withFinalizer } from '../clb/model/provisioning-evidence.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { FINALIZER, FINALIZER_FIELD, isBeingDeleted, removesFinalizer } from './engine/controller-metadata.ts';
import { wasManaged } from './engine/provisioning-phase.ts';
import { controllerSelectors, wantsLoadBalancer } from './engine/subject.ts';

const NONE: readonly Violation[] = [];

type Before = NonNullable<ServiceSubject['before']>;

/** Without this rule, an update could leave a load balancer that no controller manages, but that is billed. */
export const controllerChange: Rule = {
  name: 'controller-change',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A Service that has a load balancer does not change its controller, because its users would lose the address and the load balancer would become an orphan. The rule warns if a change of type deletes the load balancer. It denies the change if the same write removes the finalizer that starts the cleanup.',
  since: '0.1.0',
  checksOtherServices: true,
  checksChangesOnly: true,
  examples: {
    before: `metadata:
  name: web
`,
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/class: nginx-alb
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-name: "web"
`,
  },
  check: ({ object, parsed, before }, facts) => {
    if (before === undefined) return NONE;
    const was = before.object;
    const abandoned = isAbandoned(was, object) ? [{ field: FINALIZER_FIELD, value: '', ...ABANDONED }] : NONE;
    if (was.spec?.type !== 'LoadBalancer' || !isPublished(was)) return abandoned;
    if (!wantsLoadBalancer(was)) {
      const isTakeover = wantsLoadBalancer(object) && !wasManaged(before, facts);
      return isTakeover
        ? controllerSelectors(was).map(({ field }) => ({ field, value: '', ...FROM_OTHER_CONTROLLER }))
        : NONE;
    }
    if (object.spec?.type !== 'LoadBalancer')
      return abandoned.length > 0 ? abandoned : onAnotherType(object, parsed, before);
    const had = new Set(controllerSelectors(was).map(({ field }) => field));
    const newSelectors = controllerSelectors(object).filter(({ field }) => !had.has(field));
    return [...abandoned, ...newSelectors.map(({ field, value }) => ({ field, value, ...TO_OTHER_CONTROLLER }))];
  },
};

/** Returns a warning if a change of type gives up the load balancer, unless the load balancer is user-managed and the finalizer stays. */
function onAnotherType(object: Service, { options }: ParsedAnnotations, before: Before): readonly Violation[] {
  const base = { field: 'spec.type', value: object.spec?.type ?? 'ClusterIP' };
  // Without the finalizer, the controller may miss the cleanup.
  if (!hasFinalizer(object)) return [{ ...base, ...WITHOUT_FINALIZER }];
  if (options.id !== undefined || before.parsed.options.id !== undefined) return NONE;
  return [{ ...base, ...(options.preserveLbOnDelete === true ? PRESERVED : DELETED) }];
}

/**
 * Returns whether a write gives up the load balancer and removes the finalizer. Returns false during deletion, when users may remove the finalizer.
 */
const isAbandoned = (was: Service, object: Service): boolean =>
  removesFinalizer(was, object) &&
  !isBeingDeleted(was) &&
  wantsLoadBalancer(was) &&
  !wantsLoadBalancer(withFinalizer(object));

type ChangeAdvice = Pick<Violation, 'reason' | 'detail' | 'remedy' | 'advice'>;

const SECOND = 'create a second Service, move the traffic, and delete this Service';

const TO_OTHER_CONTROLLER: ChangeAdvice = {
  reason: 'Forbidden',
  detail: 'with another controller, the Service would lose its load balancer and its address',
  remedy: `undo the change, or ${SECOND}`,
};

const FROM_OTHER_CONTROLLER: ChangeAdvice = {
  reason: 'Forbidden',
  detail: 'another controller created the load balancer of the Service, and would not delete it',
  remedy: `undo the change, or ${SECOND}`,
};

const ABANDONED: ChangeAdvice = {
  reason: 'Required',
  detail: `must contain "${FINALIZER}": without it, the controller does not clean up the load balancer of the Service`,
  remedy: `keep the finalizer, as kubectl apply and edit do; to preserve the load balancer, first set ${CATALOGUE.preserveLbOnDelete.key} to "true"`,
};

const WITHOUT_FINALIZER: ChangeAdvice = {
  reason: 'Invalid',
  detail:
    'gives up the load balancer, and the Service has no finalizer: unless the controller restores the finalizer, the load balancer stays and is billed',
  remedy: 'undo the change, or delete the load balancer in the cloud',
  advice: true,
};

const DELETED: ChangeAdvice = {
  reason: 'Invalid',
  detail: 'deletes the load balancer: a new one would get another address',
  remedy: 'to keep the address, undo the change at once',
  advice: true,
};

const PRESERVED: ChangeAdvice = {
  reason: 'Invalid',
  detail: 'gives up the load balancer, which is preserved and still billed',
  remedy: 'delete the load balancer in the cloud when you no longer need it',
  advice: true,
};
