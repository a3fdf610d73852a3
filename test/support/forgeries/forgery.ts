import type { Random } from '../../fuzz/random.ts';
import { annotation } from '../running-controller.ts';

/** The load balancers that a tenant can name, by their role. */
export interface Targets {
  /** A user-managed load balancer that another namespace uses too. */
  readonly shared: string;
  /** A user-managed server group on the same load balancer. */
  readonly sharedGroup: string;
  /** Load balancer created for a Service of another namespace, and its address. */
  readonly foreign: string;
  readonly foreignAddress: string;
  readonly sharedAddress: string;
}

/** A step of a tenant with write access to every part of a Service. */
export type Forgery =
  | { readonly kind: 'patch'; readonly patch: object }
  | { readonly kind: 'status'; readonly ingress: readonly object[] | null }
  | { readonly kind: 'delete' }
  | { readonly kind: 'delete-without-finalizer' }
  | { readonly kind: 'create' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'wait'; readonly ms: number };

const FINALIZER = 'service.k8s.alibaba/resources';

type Values = readonly [string | null, ...(string | null)[]];

const labels = (targets: Targets): Readonly<Record<string, Values>> => ({
  'service.k8s.alibaba/loadbalancer-id': [targets.shared, targets.foreign, 'lb-none', null],
  'service.beta.kubernetes.io/hash': ['forged', null],
  'portcullis.io/digest': ['forged', null],
  'portcullis.io/uses': [targets.shared, targets.foreign, null],
});

const annotations = (targets: Targets): Readonly<Record<string, Values>> => ({
  id: [targets.shared, targets.shared, targets.foreign, 'lb-none', null, null],
  'force-override-listeners': ['true', 'true', null],
  name: ['mine', null],
  'vgroup-port': [`${targets.sharedGroup}:80`, null],
  'address-type': ['intranet', null],
  hostname: ['shop.example.com', null],
  type: ['nlb', null],
  class: ['example.com/other', null],
  scheduler: ['wrr', null],
  bandwidth: ['5', 'x', null],
  'additional-resource-tags': ['team=shop', null],
});

const pickOf = (random: Random, choices: Readonly<Record<string, Values>>): readonly [string, string | null] => {
  const [first, ...rest] = Object.keys(choices);
  const name = random.pick([first ?? '', ...rest]);
  return [name, random.pick(choices[name] ?? [null])];
};

const WAITS = [200, 2_000, 10_000, 60_000, 180_000] as const;

function patchBy(random: Random, targets: Targets): object {
  const [label, labelValue] = pickOf(random, labels(targets));
  const [name, value] = pickOf(random, annotations(targets));
  const parts: readonly [object, ...object[]] = [
    { metadata: { labels: { [label]: labelValue } } },
    { metadata: { annotations: { [annotation(name)]: value } } },
    { metadata: { finalizers: random.pick([[FINALIZER], null, null]) } },
    { spec: { type: random.pick(['ClusterIP', 'LoadBalancer']) } },
    { spec: { type: 'LoadBalancer', loadBalancerClass: random.pick(['example.com/other', null]) } },
    { status: { conditions: null } },
  ];
  const [first, second] = [random.pick(parts), random.pick(parts)];
  return random.oneIn(3) ? merged(first, second) : first;
}

/** Merges two patches of one Service. The second overrides the first. */
function merged(first: object, second: object): object {
  const [left, right] = [first as Record<string, object>, second as Record<string, object>];
  return Object.fromEntries(
    [...new Set([...Object.keys(left), ...Object.keys(right)])].map((key) => [key, { ...left[key], ...right[key] }]),
  );
}

/** Returns a random next step of a tenant. */
export function nextForgery(random: Random, targets: Targets): Forgery {
  const at = random.below(20);
  if (at < 9) return { kind: 'patch', patch: patchBy(random, targets) };
  if (at < 14) return { kind: 'wait', ms: random.pick(WAITS) };
  if (at < 16) {
    const address = random.pick([targets.sharedAddress, targets.foreignAddress, undefined]);
    return { kind: 'status', ingress: address === undefined ? null : [{ ip: address }] };
  }
  return { kind: random.pick(['delete', 'delete-without-finalizer', 'create', 'restart']) };
}
