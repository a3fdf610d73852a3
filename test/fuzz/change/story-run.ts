import type { LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import { objectKey, type Service } from '../../../src/base/kubernetes-objects.ts';
import type { Facts } from '../../../src/inventory/facts.ts';
import { CLASSIC_LOAD_BALANCERS } from '../../../src/inventory/custom-resources.ts';
import { portsOfListeners, reusedLoadBalancer } from '../../../src/inventory/reuse-index.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import type { RuleResults } from '../../../src/rules/engine/rule-results.ts';
import { ALL_RULES, validate, type RuleSet } from '../../../webhook/admission/validate.ts';
import { aCluster, aSlice, ENDPOINT_SLICES, SERVICES, type Cluster } from '../../support/simulated-cluster.ts';
import { aFacts } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { inventoryOf, outdated } from '../../support/service-scenarios/inventory.ts';
import type { Story } from './story.ts';

/** Milliseconds until every retry of a fault with a finite count has finished. */
const SETTLED_MS = 6 * 60_000;

/** The rules that only warn if the inventory does not show an attribute, so that only the cloud can reject the change. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['one-way-change', 'immutable-annotation']);

/** The rules that deny values without an effect, while the controller syncs a Service with such a value. */
const ONLY_AT_ADMISSION: ReadonlySet<string> = new Set(['forward-port', 'protocol-port', 'vgroup-port']);

/** Updates the inventory to the current state of the cloud, for the webhook and the controller. */
function inventoryAfter({ simulator, kubernetes }: Cluster, stored: Service | undefined, before: Inventory): Inventory {
  const now = inventoryOf(simulator, stored === undefined ? [] : [stored], new Set());
  const { written, removed } = outdated(now, before);
  for (const [name, status] of written)
    kubernetes.put(CLASSIC_LOAD_BALANCERS, { metadata: { name, uid: name, resourceVersion: '' }, status });
  for (const name of removed) kubernetes.delete(CLASSIC_LOAD_BALANCERS, objectKey(name));
  return now;
}

/** Returns the facts of the webhook at this moment. */
function factsOf(found: Inventory, stored: Service | undefined, disablePublicSLB: boolean): Facts {
  const reused = stored === undefined ? undefined : reusedLoadBalancer(stored);
  return {
    ...aFacts({
      cluster: { clusterId: 'c1', regionId: 'cn-hangzhou', vpcId: 'vpc-1', disablePublicSLB },
      loadBalancers: Object.fromEntries(found),
    }),
    portHolders: (id) => (stored !== undefined && id === reused ? portsOfListeners(stored) : []),
  };
}

type Inventory = ReturnType<typeof inventoryOf>;

interface ChangedService {
  readonly object: Service;
  readonly stored: Service | undefined;
}

function evaluated({ object, stored }: ChangedService, facts: Facts, rules: RuleSet): RuleResults {
  const request = readReview(aReview({ object, ...(stored === undefined ? {} : { oldObject: stored }) }));
  return validate(request, { facts, policy: ENFORCE_ALL, rules, expired: () => false });
}

/** Returns whether the Service reports a complete sync. */
function isDone({ spec, status }: Service, binding: LoadBalancerBinding | undefined): boolean {
  if (spec?.type !== 'LoadBalancer') return (status?.loadBalancer?.ingress ?? []).length === 0;
  const condition = status?.conditions?.find(({ type }) => type === 'LoadBalancerReady');
  return condition?.status === 'True' && binding?.spec.operation === undefined;
}

const rulesIn = (findings: RuleResults['denials']): string =>
  findings.map(({ rule, violation }) => `${rule.name} ${violation.field}`).join(', ');

/** Returns the disagreement between webhook and controller. Undefined if they agree. */
function disagreement(
  { denials, warnings }: RuleResults,
  after: Service,
  binding: LoadBalancerBinding | undefined,
): string | undefined {
  const done = isDone(after, binding);
  if (denials.length > 0) {
    const meant = denials.filter(({ rule }) => !ONLY_AT_ADMISSION.has(rule.name));
    return done && meant.length > 0 ? `denied, and synced: ${rulesIn(meant)}` : undefined;
  }
  if (done || warnings.some(({ rule }) => AMBIGUOUS.has(rule.name))) return undefined;
  const { reason, message } = after.status?.conditions?.find(({ type }) => type === 'LoadBalancerReady') ?? {};
  return `allowed, and not synced: ${reason ?? 'no reason'}: ${message ?? ''}`;
}

/** Returns the stored Service with another spec and other annotations. */
const changed = (stored: Service, { metadata, spec }: Service): Service => ({
  ...stored,
  metadata: { ...stored.metadata, annotations: metadata.annotations ?? {} },
  spec: spec ?? {},
});

export interface Played {
  /** The disagreement with its change. Undefined if there is none. */
  readonly failure?: string;
  /** The number of changes that the webhook denied. */
  readonly denied: number;
  readonly synced: number;
}

/** Sends each change to the webhook, and lets the controller sync it. Ends at the first denied change. `changes` calls it for each story. */
export async function play(
  { versions, region, disablePublicSLB, firstFails, skipsSecond }: Story,
  rules = ALL_RULES,
): Promise<Played> {
  const cluster = aCluster({ settings: { disablePublicSLB } });
  cluster.simulator.seed(region);
  const controller = cluster.start();
  let synced = 0;
  let known: Inventory = new Map();
  try {
    for (const [index, wanted] of versions.entries()) {
      const stored = cluster.service();
      const object = stored === undefined ? wanted : changed(stored, wanted);
      if (skipsSecond && index === 1) {
        cluster.kubernetes.put(SERVICES, object);
        continue;
      }
      known = inventoryAfter(cluster, stored, known);
      const outcome = evaluated({ object, stored }, factsOf(known, stored, disablePublicSLB), rules);
      cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(object, ['n1', 'n2']));
      cluster.kubernetes.put(SERVICES, object);
      await cluster.quiet(SETTLED_MS);
      const isToFail = firstFails && index === 0;
      const wrong = isToFail ? undefined : disagreement(outcome, cluster.service() ?? object, cluster.binding());
      if (wrong !== undefined)
        return { failure: `${summaryOf(wanted)}, version ${index + 1}: ${wrong}`, denied: 0, synced };
      if (outcome.denials.length > 0) return { denied: 1, synced };
      if (!isToFail) synced += 1;
    }
    return { denied: 0, synced };
  } finally {
    await controller.stop();
  }
}

/** Returns a change as one line. */
const summaryOf = ({ metadata, spec }: Service): string =>
  JSON.stringify({ annotations: metadata.annotations, type: spec?.type, ports: spec?.ports?.map(({ port }) => port) });
