import { ruleOf, type CompiledPolicy } from './compile.ts';
import type { StoredViolations } from './custom-resources.ts';

/** The names of Services with violations, by namespace. */
export type ByNamespace = ReadonlyMap<string, ReadonlySet<string>>;

/** The violations in stored Services, by rule. */
export interface ViolationsByRule {
  /** Returns the violations of a built-in rule, or of `policy/<policy>/<constraint>`. */
  of(rule: string): ByNamespace;
}

const MOST_EXAMPLES = 5;

const least = (texts: Iterable<string>): readonly string[] => [...texts].sort().slice(0, MOST_EXAMPLES);

/** Returns the first examples in alphabetical order. Sorts the names of the first namespaces only, because a cluster may have many Services. */
function examplesIn(
  locations: readonly (readonly [namespace: string, names: ReadonlySet<string>])[],
): readonly string[] {
  const inOrder = locations.toSorted(([left], [right]) => (left < right ? -1 : 1)).slice(0, MOST_EXAMPLES);
  const examples = inOrder.flatMap(([namespace, names]) => least(names).map((name) => `${namespace}/${name}`));
  return examples.slice(0, MOST_EXAMPLES);
}

function violation(name: string, locations: ByNamespace, namespaces: ReadonlySet<string>): readonly StoredViolations[] {
  const found = [...locations].filter(([namespace, names]) => names.size > 0 && namespaces.has(namespace));
  if (found.length === 0) return [];
  const services = found.reduce((sum, [, names]) => sum + names.size, 0);
  return [{ name, services, namespaces: found.length, examples: examplesIn(found) }];
}

/** Returns the violations of constraints and tuned rules in the selected namespaces, for the status of the policy. */
export function violationsOf(
  policy: CompiledPolicy,
  locations: ViolationsByRule,
  selected: readonly string[],
): readonly StoredViolations[] {
  const namespaces = new Set(selected);
  return [
    ...policy.constraints.flatMap(({ rule }) =>
      violation(rule.slice(ruleOf(policy.name, '').length), locations.of(rule), namespaces),
    ),
    ...[...policy.rules.keys()].flatMap((rule) => violation(rule, locations.of(rule), namespaces)),
  ];
}
