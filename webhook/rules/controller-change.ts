import { isPublished } from '../../src/clb/told.ts';
import type { Service } from '../../src/objects.ts';
import type { Fault, Rule } from './rule.ts';
import { isOurs } from './engine/presence.ts';
import { claimsOf, wantsLoadBalancer } from './engine/subject.ts';

const NONE: readonly Fault[] = [];

export const controllerChange: Rule = {
  name: 'controller-change',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A Service that has a load balancer is not given to another controller, nor taken from one: a load balancer would be left behind or deleted under its users, and the address with it. That another type of Service gives the load balancer up is pointed out.',
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
    if (was.spec?.type !== 'LoadBalancer' || !isPublished(was)) return NONE;
    if (!wantsLoadBalancer(was)) {
      const isTaken = wantsLoadBalancer(object) && !isOurs(before, facts);
      return isTaken ? claimsOf(was).map(({ field }) => ({ field, found: '', ...TAKEN })) : NONE;
    }
    if (object.spec?.type !== 'LoadBalancer') {
      const { id, preserveLbOnDelete } = parsed.options;
      // One that people made stays, with its address.
      if (id !== undefined || before.parsed.options.id !== undefined) return NONE;
      return [{ field: 'spec.type', found: typeOf(object), ...(preserveLbOnDelete === true ? LEFT : GONE) }];
    }
    const had = new Set(claimsOf(was).map(({ field }) => field));
    return claimsOf(object)
      .filter(({ field }) => !had.has(field))
      .map(({ field, value }) => ({ field, found: value, ...GIVEN }));
  },
};

const typeOf = ({ spec }: Service): string => spec?.type ?? 'ClusterIP';

type Said = Pick<Fault, 'allowed' | 'fix' | 'advice'>;

const SECOND = 'make a second Service, move traffic over, then delete this one';

const GIVEN: Said = {
  allowed: 'nothing while the Service has a load balancer, which it would lose with its address',
  fix: `undo the change, or else ${SECOND}`,
};

const TAKEN: Said = {
  allowed:
    'what it was, because another controller made the load balancer that the Service has, and would leave it behind',
  fix: `undo the change, or else ${SECOND}`,
};

const GONE: Said = {
  allowed:
    'LoadBalancer, if the address is to stay: the load balancer is deleted with this change, and another one would get another address',
  fix: 'leave it if that is meant, or undo the change at once',
  advice: true,
};

const LEFT: Said = {
  allowed:
    "LoadBalancer, if the load balancer is to stay in use: with this change it becomes nobody's and goes on costing",
  fix: 'leave it if that is meant, and delete the load balancer in the cloud when nobody needs it',
  advice: true,
};
