import { messageOf } from '../base/errors.ts';
import { OPTIONS } from './condition-key.ts';
import type { OptionName } from '../annotation/catalogue.ts';
import { conditionOf, type CompiledCondition } from './condition.ts';
import { enforcementOf, type ParsedEnforcement } from './enforcement.ts';
import { unknownVariable } from './pattern.ts';
import { DIMENSIONS } from './usage.ts';
import type {
  Condition as ConditionSpec,
  Constraint as ConstraintSpec,
  LoadBalancerPolicy,
  LoadBalancerPolicySpec,
  PolicyDefault as DefaultSpec,
  PolicyOperation,
  Quota as QuotaSpec,
  QuotaDimension,
} from './custom-resources.ts';
import { NOTHING, selectorOf, type Labels, type Selector } from './selector.ts';
import type { Tunable } from './tunable-rule.ts';

/** An error in a policy or an exception, or a warning about parts of a policy. The parts without an error are in force. */
export interface Problem {
  /** The field, such as `spec.constraints[2]`, or the names of constraints or of a default. */
  readonly path: string;
  /** A sentence without a full stop. */
  readonly message: string;
}

/** A constraint of a policy, ready for evaluation. */
export interface CompiledConstraint {
  /** The name in denials and exceptions: `policy/<policy>/<constraint>`. */
  readonly rule: string;
  readonly policy: CompiledPolicy;
  readonly message: string;
  readonly enforcement: ParsedEnforcement;
  readonly when: readonly CompiledCondition[];
  readonly require: readonly CompiledCondition[];
}

/** A default of a policy: the value of an annotation for new Services. */
export interface Default {
  readonly policy: CompiledPolicy;
  readonly option: OptionName;
  readonly value: string;
  readonly when: readonly CompiledCondition[];
}

/** A quota of a policy, which limits the usage of each namespace, or of all namespaces of the policy together. */
export interface CompiledQuota {
  readonly rule: string;
  readonly name: string;
  readonly policy: CompiledPolicy;
  readonly enforcement: ParsedEnforcement;
  readonly per: 'namespace' | 'policy';
  readonly limits: readonly (readonly [QuotaDimension, number])[];
}

/** A LoadBalancerPolicy, compiled for fast evaluation. Invalid parts are listed in `problems` and are not in force. */
export interface CompiledPolicy {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  /** Undefined if the policy selects all namespaces. */
  readonly namespaces: Selector | undefined;
  readonly services: Selector | undefined;
  readonly operations: ReadonlySet<PolicyOperation> | undefined;
  readonly rules: ReadonlyMap<string, ParsedEnforcement>;
  readonly constraints: readonly CompiledConstraint[];
  readonly defaults: readonly Default[];
  readonly quotas: readonly CompiledQuota[];
  readonly problems: readonly Problem[];
}

/** Returns whether the Service selector and the operations of a policy match a request. The caller must already have matched the namespace. */
export const matches = (
  { services, operations }: CompiledPolicy,
  { labels, operation }: { readonly labels: Labels; readonly operation: PolicyOperation },
): boolean =>
  operations?.has(operation) !== false && (services === undefined || services({ labels, isComplete: true }) === true);

/** Returns the name of a constraint or a quota in denials and exceptions. */
export const ruleOf = (policy: string, name: string): string => `policy/${policy}/${name}`;

/** A reader of the parts of a policy. Each invalid part becomes a problem, and the other parts stay in force. */
class Parts {
  readonly problems: Problem[] = [];

  read<Part>(path: string, read: () => Part): Part | undefined {
    try {
      return read();
    } catch (error) {
      this.problems.push({ path, message: messageOf(error) });
      return undefined;
    }
  }

  all<Spec, Part>(path: string, spec: readonly Spec[] | undefined, read: (spec: Spec) => Part): readonly Part[] {
    return (spec ?? []).flatMap((item, index) => {
      const part = this.read(`${path}[${index}]`, () => read(item));
      return part === undefined ? [] : [part];
    });
  }
}

/** Returns a text. Throws `RangeError` if the text contains an unknown variable. */
function checkedText(text: string): string {
  const unknown = unknownVariable(text);
  if (unknown === undefined) return text;
  throw new RangeError(`there is no variable \${${unknown}}; use \${cluster}, \${namespace} or \${name}`);
}

function condition(spec: ConditionSpec): CompiledCondition {
  for (const text of [...(spec.oneOf ?? []), ...(spec.noneOf ?? [])]) checkedText(text);
  return conditionOf(spec);
}

const constraint =
  (policy: CompiledPolicy) =>
  (spec: ConstraintSpec): CompiledConstraint => ({
    rule: ruleOf(policy.name, spec.name),
    policy,
    message: spec.message ?? '',
    enforcement: enforcementOf(spec),
    when: (spec.when ?? []).map(condition),
    require: spec.require.map(condition),
  });

const buildDefault =
  (policy: CompiledPolicy) =>
  ({ annotation, value, when }: DefaultSpec): Default => {
    const option = OPTIONS.get(annotation);
    if (option === undefined) throw new RangeError(`there is no annotation ${JSON.stringify(annotation)}`);
    return { policy, option, value: checkedText(value), when: (when ?? []).map(condition) };
  };

const quota =
  (policy: CompiledPolicy) =>
  (spec: QuotaSpec): CompiledQuota => ({
    rule: ruleOf(policy.name, spec.name),
    name: spec.name,
    policy,
    enforcement: enforcementOf(spec),
    per: spec.per,
    limits: DIMENSIONS.flatMap((dimension) => {
      const limit = spec[dimension];
      return limit === undefined ? [] : [[dimension, limit] as const];
    }),
  });

/** Returns the modes that a policy sets for built-in rules. */
function tuned(
  { match, rules }: LoadBalancerPolicySpec,
  isSelecting: boolean,
  tunable: Tunable,
  parts: Parts,
): CompiledPolicy['rules'] {
  const tunings = parts.all('spec.rules', rules, (spec) => {
    const rule = tunable.get(spec.rule);
    if (rule === undefined) {
      throw new RangeError(`there is no tunable rule ${JSON.stringify(spec.rule)}`);
    }
    if (rule.kind === 'Node' && isSelecting) {
      throw new RangeError(
        `${spec.rule} checks Nodes, which no selector matches; tune the rule in a policy without selectors`,
      );
    }
    if (rule.checksChangesOnly && match?.operations?.includes('UPDATE') === false) {
      throw new RangeError(
        `${spec.rule} checks only updates, which match.operations excludes; tune the rule in a policy with UPDATE`,
      );
    }
    return [spec.rule, enforcementOf(spec)] as const;
  });
  return new Map(tunings);
}

/** Returns the defaults of a policy. Throws `RangeError` if `match.operations` excludes CREATE, because only new Services get defaults. */
function checkedDefaults({ match, defaults }: LoadBalancerPolicySpec): readonly DefaultSpec[] | undefined {
  if (defaults === undefined || match?.operations?.includes('CREATE') !== false) return defaults;
  throw new RangeError(
    'defaults apply only to new Services, which match.operations excludes; set defaults in a policy with CREATE',
  );
}

/** Compiles a policy. Runs once for each change of the policy. Never throws, because invalid parts become problems. */
export function compilePolicy({ metadata, spec }: LoadBalancerPolicy, tunable: Tunable): CompiledPolicy {
  const parts = new Parts();
  const { match } = spec;
  const [namespaces, services] = (['namespaceSelector', 'serviceSelector'] as const).map(
    (selector) =>
      parts.read(`spec.match.${selector}`, () => ({ selector: selectorOf(match?.[selector]) })) ?? {
        selector: NOTHING,
      },
  );
  const policy = {
    name: metadata.name,
    uid: metadata.uid,
    generation: metadata.generation ?? 0,
    namespaces: namespaces?.selector,
    services: services?.selector,
    operations: match?.operations === undefined ? undefined : new Set(match.operations),
    rules: tuned(spec, (namespaces?.selector ?? services?.selector) !== undefined, tunable, parts),
    constraints: [] as readonly CompiledConstraint[],
    defaults: [] as readonly Default[],
    quotas: [] as readonly CompiledQuota[],
    problems: parts.problems,
  };
  policy.constraints = parts.all('spec.constraints', spec.constraints, constraint(policy));
  policy.defaults = parts.all(
    'spec.defaults',
    parts.read('spec.defaults', () => checkedDefaults(spec)),
    buildDefault(policy),
  );
  policy.quotas = parts.all('spec.quotas', spec.quotas, quota(policy));
  return policy;
}
