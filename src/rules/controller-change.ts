import { CATALOGUE } from '../annotation/catalogue.ts';
import type { Parsed } from '../annotation/parse.ts';
import { hasFinalizer, isPublished } from '../clb/model/service-status.ts';
import type { Service } from '../base/objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import {
  FINALIZER,
  FINALIZER_FIELD,
  withFinalizerOf,
  isBeingDeleted,
  removesFinalizer,
} from './engine/controller-metadata.ts';
import { isOurs } from './engine/phase.ts';
import { claimsOf, wantsLoadBalancer } from './engine/subject.ts';

const NONE: readonly Violation[] = [];

type Before = NonNullable<ServiceSubject['before']>;

export const controllerChange: Rule = {
  name: 'controller-change',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A Service that has a load balancer is not given to another controller, nor taken from one: a load balancer would be left behind or deleted under its users, and the address with it. That another type of Service gives the load balancer up is pointed out, and denied where the same write takes away the finalizer by which it would be cleaned up; a whole manifest that is put in the place of the Service, and knows nothing of the finalizer, keeps it, also while the Service is being deleted.',
  since: '0.1.0',
  judgesOthers: true,
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
    const abandoned = isAbandoned(was, object) ? [{ field: FINALIZER_FIELD, found: '', ...ABANDONED }] : NONE;
    if (was.spec?.type !== 'LoadBalancer' || !isPublished(was)) return abandoned;
    if (!wantsLoadBalancer(was)) {
      const isTaken = wantsLoadBalancer(object) && !isOurs(before, facts);
      return isTaken ? claimsOf(was).map(({ field }) => ({ field, found: '', ...TAKEN })) : NONE;
    }
    if (object.spec?.type !== 'LoadBalancer')
      return abandoned.length > 0 ? abandoned : onAnotherType(object, parsed, before);
    const had = new Set(claimsOf(was).map(({ field }) => field));
    const given = claimsOf(object).filter(({ field }) => !had.has(field));
    return [...abandoned, ...given.map(({ field, value }) => ({ field, found: value, ...GIVEN }))];
  },
};

/** Returns advice about the load balancer if the type of the Service changes. A user-managed load balancer stays with its address. */
function onAnotherType(object: Service, { options }: Parsed, before: Before): readonly Violation[] {
  const fault = { field: 'spec.type', found: object.spec?.type ?? 'ClusterIP' };
  // Without the finalizer, nothing marks the Service for cleanup.
  if (!hasFinalizer(object)) return [{ ...fault, ...UNHELD }];
  if (options.id !== undefined || before.parsed.options.id !== undefined) return NONE;
  return [{ ...fault, ...(options.preserveLbOnDelete === true ? LEFT : GONE) }];
}

/**
 * Returns whether a write gives up the load balancer and also removes the finalizer that causes its cleanup. Removing only the finalizer gives up
 * nothing, even if the removal makes the type `nlb` effective. A Service being deleted may always lose it.
 */
const isAbandoned = (was: Service, object: Service): boolean =>
  removesFinalizer(was, object) &&
  !isBeingDeleted(was) &&
  wantsLoadBalancer(was) &&
  !wantsLoadBalancer(withFinalizerOf(object));

type ChangeAdvice = Pick<Violation, 'allowed' | 'fix' | 'advice'>;

const SECOND = 'make a second Service, move traffic over, then delete this one';

const GIVEN: ChangeAdvice = {
  allowed: 'nothing while the Service has a load balancer, which it would lose with its address',
  fix: `undo the change, or else ${SECOND}`,
};

const TAKEN: ChangeAdvice = {
  allowed:
    'what it was, because another controller made the load balancer that the Service has, and would leave it behind',
  fix: `undo the change, or else ${SECOND}`,
};

const ABANDONED: ChangeAdvice = {
  allowed: `"${FINALIZER}", without which nothing is cleaned up of what the Service has in the cloud`,
  fix: `leave the finalizer in, as kubectl apply and edit do; where the load balancer is to stay, set ${CATALOGUE.preserveLbOnDelete.key} to "true" first`,
};

const UNHELD: ChangeAdvice = {
  allowed:
    'LoadBalancer, if the address is to stay: a controller that has seen the finalizer puts it back, and cleans up what the Service has in the cloud; where none runs, that stays there, and goes on costing',
  fix: 'undo the change at once, or look in the cloud afterwards',
  advice: true,
};

const GONE: ChangeAdvice = {
  allowed:
    'LoadBalancer, if the address is to stay: the load balancer is deleted with this change, and another one would get another address',
  fix: 'leave it if that is meant, or undo the change at once',
  advice: true,
};

const LEFT: ChangeAdvice = {
  allowed:
    "LoadBalancer, if the load balancer is to stay in use: with this change it becomes nobody's and goes on costing",
  fix: 'leave it if that is meant, and delete the load balancer in the cloud when nobody needs it',
  advice: true,
};
