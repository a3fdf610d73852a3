import type { LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import { objectKey, type Service } from '../../../src/base/objects.ts';
import type { Facts } from '../../../src/inventory/facts.ts';
import { CLASSIC_LOAD_BALANCERS } from '../../../src/inventory/resource.ts';
import { portsOfListeners, reusedLoadBalancer } from '../../../src/inventory/reuse.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy.ts';
import { readReview } from '../../../webhook/admission/review.ts';
import type { RuleResults } from '../../../src/rules/engine/outcome.ts';
import { ALL_RULES, validate, type RuleSet } from '../../../webhook/admission/validate.ts';
import { aCluster, aSlice, ENDPOINT_SLICES, SERVICES, type Cluster } from '../../support/cluster.ts';
import { aFacts } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { mirrorOf, outdated } from '../../support/service-scenarios/mirror.ts';
import type { Story } from './story.ts';

/** Enough for every try again that is not for ever. */
const SETTLED_MS = 6 * 60_000;

/** Warn where the mirror does not tell what the load balancer has: whether it works is seen in the cloud. */
const IN_DOUBT: ReadonlySet<string> = new Set(['one-way-change', 'immutable-annotation']);

/** Deny what the controller passes over, so that its author hears of it. */
const AT_THE_DOOR: ReadonlySet<string> = new Set(['forward-port', 'protocol-port', 'vgroup-port']);

/** The mirror of the cloud as the inventory would have it at this moment, for the webhook and the controller. */
function mirror({ simulator, kubernetes }: Cluster, stored: Service | undefined, before: Mirror): Mirror {
  const now = mirrorOf(simulator, stored === undefined ? [] : [stored], new Set());
  const { written, gone } = outdated(now, before);
  for (const [name, status] of written)
    kubernetes.put(CLASSIC_LOAD_BALANCERS, { metadata: { name, uid: name, resourceVersion: '' }, status });
  for (const name of gone) kubernetes.delete(CLASSIC_LOAD_BALANCERS, objectKey(name));
  return now;
}

/** What the webhook would know at this moment. */
function factsOf(found: Mirror, stored: Service | undefined, disablePublicSLB: boolean): Facts {
  const held = stored === undefined ? undefined : reusedLoadBalancer(stored);
  return {
    ...aFacts({
      cluster: { clusterId: 'c1', regionId: 'cn-hangzhou', vpcId: 'vpc-1', disablePublicSLB },
      loadBalancers: Object.fromEntries(found),
    }),
    portHolders: (id) => (stored !== undefined && id === held ? portsOfListeners(stored) : []),
  };
}

type Mirror = ReturnType<typeof mirrorOf>;

interface Judged {
  readonly object: Service;
  readonly stored: Service | undefined;
}

function judged({ object, stored }: Judged, facts: Facts, rules: RuleSet): RuleResults {
  const request = readReview(aReview({ object, ...(stored === undefined ? {} : { oldObject: stored }) }));
  return validate(request, { facts, policy: ENFORCE_ALL, rules, expired: () => false });
}

/** Whether all is done that the Service asks, as it says itself. */
function isDone({ spec, status }: Service, binding: LoadBalancerBinding | undefined): boolean {
  if (spec?.type !== 'LoadBalancer') return (status?.loadBalancer?.ingress ?? []).length === 0;
  const condition = status?.conditions?.find(({ type }) => type === 'LoadBalancerReady');
  return condition?.status === 'True' && binding?.spec.operation === undefined;
}

const rulesIn = (findings: RuleResults['denials']): string =>
  findings.map(({ rule, fault }) => `${rule.name} ${fault.field}`).join(', ');

/** What the webhook and the controller do not agree on; absent when they do. */
function disagreement(
  { denials, warnings }: RuleResults,
  after: Service,
  binding: LoadBalancerBinding | undefined,
): string | undefined {
  const done = isDone(after, binding);
  if (denials.length > 0) {
    const meant = denials.filter(({ rule }) => !AT_THE_DOOR.has(rule.name));
    return done && meant.length > 0 ? `denied, and carried out: ${rulesIn(meant)}` : undefined;
  }
  if (done || warnings.some(({ rule }) => IN_DOUBT.has(rule.name))) return undefined;
  const { reason, message } = after.status?.conditions?.find(({ type }) => type === 'LoadBalancerReady') ?? {};
  return `let pass, and not carried out: ${reason ?? 'nothing is said'}: ${message ?? ''}`;
}

/** A Service as it is stored when somebody asks for another spec and other annotations. */
const changed = (stored: Service, { metadata, spec }: Service): Service => ({
  ...stored,
  metadata: { ...stored.metadata, annotations: metadata.annotations ?? {} },
  spec: spec ?? {},
});

export interface Played {
  /** What is wrong, with the wish at which it is; absent when nothing is. */
  readonly complaint?: string;
  /** How many wishes were denied. */
  readonly denied: number;
  readonly carriedOut: number;
}

/** Asks the webhook for each wish and has the controller carry it out; ends with the first that is denied. */
export async function play(
  { wishes, region, disablePublicSLB, stumbles, isHurried }: Story,
  rules = ALL_RULES,
): Promise<Played> {
  const cluster = aCluster({ settings: { disablePublicSLB } });
  cluster.simulator.seed(region);
  const controller = cluster.start();
  let carriedOut = 0;
  let known: Mirror = new Map();
  try {
    for (const [index, wish] of wishes.entries()) {
      const stored = cluster.service();
      const object = stored === undefined ? wish : changed(stored, wish);
      if (isHurried && index === 1) {
        cluster.kubernetes.put(SERVICES, object);
        continue;
      }
      known = mirror(cluster, stored, known);
      const outcome = judged({ object, stored }, factsOf(known, stored, disablePublicSLB), rules);
      cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(object, ['n1', 'n2']));
      cluster.kubernetes.put(SERVICES, object);
      await cluster.quiet(SETTLED_MS);
      const isToFail = stumbles && index === 0;
      const wrong = isToFail ? undefined : disagreement(outcome, cluster.service() ?? object, cluster.binding());
      if (wrong !== undefined)
        return { complaint: `${told(wish)}, ${index + 1}. wish: ${wrong}`, denied: 0, carriedOut };
      if (outcome.denials.length > 0) return { denied: 1, carriedOut };
      if (!isToFail) carriedOut += 1;
    }
    return { denied: 0, carriedOut };
  } finally {
    await controller.stop();
  }
}

/** A wish on one line. */
const told = ({ metadata, spec }: Service): string =>
  JSON.stringify({ annotations: metadata.annotations, type: spec?.type, ports: spec?.ports?.map(({ port }) => port) });
