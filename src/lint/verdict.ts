import { sortOut, SILENCE, type Outcome } from '../../webhook/rules/engine/outcome.ts';
import { policyRule } from '../../webhook/rules/engine/policy-rule.ts';
import { nodeSubject, rulesAbout, serviceSubject, wantsLoadBalancer } from '../../webhook/rules/engine/subject.ts';
import { NODE_RULES, SERVICE_RULES } from '../../webhook/rules/index.ts';
import type { Rule } from '../../webhook/rules/rule.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Node, Service } from '../objects.ts';
import { NO_FILLINGS, type Fillings } from '../policy/defaults.ts';
import { ENFORCE_ALL, requestAbout, type Policy } from '../policy/policy.ts';
import type { PolicyOperation } from '../policy/resource.ts';
import type { World } from './policy/world.ts';

/** What objects are judged with. */
export interface Bench {
  readonly facts: Facts;
  readonly rules: readonly Rule[];
  /** Absent: there are no policies. */
  readonly world: World | undefined;
}

/** The rules that can say something: without facts, those that need some are not asked. */
export const rulesFor = (hasFacts: boolean, hasPolicies: boolean): readonly Rule[] => {
  const rules = hasFacts ? SERVICE_RULES : SERVICE_RULES.filter(({ needsInventory }) => needsInventory !== true);
  return hasPolicies ? [...rules, policyRule] : rules;
};

/** What becomes of a Service: what it is given, what it is then, and what is said of that. */
export interface Verdict {
  readonly outcome: Outcome;
  readonly fillings: Fillings;
  readonly object: Service;
}

function policyOn(
  { world }: Bench,
  object: { readonly metadata: Service['metadata'] | Node['metadata'] },
  operation: PolicyOperation,
  namespace?: string,
): Policy {
  return world?.book.on(requestAbout(object, operation, namespace)) ?? ENFORCE_ALL;
}

function filled(object: Service, { filled: given }: Fillings): Service {
  if (given.length === 0) return object;
  const added = Object.fromEntries(given.map(({ key, value }) => [key, value]));
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...added } } };
}

/** What the webhook would say of a Service that is created, or, where something is stored, changed. */
export function verdictOn(
  wanted: Service,
  stored: Service | undefined,
  bench: Bench,
  operation: PolicyOperation = stored === undefined ? 'CREATE' : 'UPDATE',
): Verdict {
  const { facts, rules, world } = bench;
  const isFilled = operation === 'CREATE' && world !== undefined && wantsLoadBalancer(wanted);
  const fillings = isFilled ? world.book.fillingsFor(wanted, facts) : NO_FILLINGS;
  const object = filled(wanted, fillings);
  const concerned = rulesAbout(object, stored, rules);
  if (concerned.length === 0) return { outcome: SILENCE, fillings, object };
  const { namespace } = object.metadata;
  const about = {
    rules: concerned,
    subject: serviceSubject(object, stored),
    stored: stored !== undefined && wantsLoadBalancer(stored) ? serviceSubject(stored) : undefined,
    mayRefuse: true,
    namespace,
  };
  const policy = policyOn(bench, object, operation, namespace);
  return { outcome: sortOut(about, { facts, policy }), fillings, object };
}

/** What the webhook would say of a Node; see `verdictOn`. */
export function outcomeOfNode(node: Node, stored: Node | undefined, bench: Bench): Outcome {
  const about = {
    rules: NODE_RULES,
    subject: nodeSubject(node, stored),
    stored: stored === undefined ? undefined : nodeSubject(stored),
    mayRefuse: true,
    namespace: '',
  };
  const policy = policyOn(bench, node, stored === undefined ? 'CREATE' : 'UPDATE');
  return sortOut(about, { facts: bench.facts, policy });
}
