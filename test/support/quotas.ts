import type { Service } from '../../src/base/objects.ts';
import type { LoadBalancerPolicySpec, Quota } from '../../src/policy/resource.ts';
import { judgedWith, told, type TestBook } from './policy-cache.ts';
import { aService, type ServiceSaid } from './service.ts';

/** Returns a policy with one quota, by default per namespace. */
export const quotas = (quota: Partial<Quota>): LoadBalancerPolicySpec => ({
  quotas: [{ name: 'q', per: 'namespace', ...quota }],
});

/** Returns a Service of this name with its own UID. */
export const named = (name: string, said: ServiceSaid = {}): Service => aService({ uid: `uid-${name}`, ...said, name });

/** Returns a Service whose condition has this reason and status False. */
export const denied = (
  name: string,
  reason: string,
  ingress: readonly { readonly ip: string }[] = [],
  said: ServiceSaid = {},
): Service => ({
  ...named(name, said),
  status: {
    loadBalancer: { ingress: [...ingress] },
    conditions: [
      { type: 'LoadBalancerReady', status: 'False', reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  },
});

/** Returns the denials of a request by the quota of policy p. */
export const denialsOf = (book: Pick<TestBook, 'book'>, object: Service, oldObject?: Service): readonly string[] =>
  told(judgedWith(book, { object, ...(oldObject === undefined ? {} : { oldObject }) }))
    .filter((line) => line.includes('policy/p/q'))
    .map((line) => line.replace(' policy/p/q', ''));
