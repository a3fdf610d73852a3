import { CATALOGUE, type OptionName } from '../annotation/catalogue.ts';
import type { OptionDefinition } from '../annotation/option-definition.ts';
import { parseAnnotations } from '../annotation/parse.ts';
import { readerOf } from '../annotation/value-readers.ts';
import type { Facts } from '../inventory/facts.ts';
import { errorBody } from '../base/field-error.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import type { Default } from './compile.ts';
import { holds } from './condition.ts';
import type { ServiceView } from './effective-value.ts';
import { cutName } from './load-balancer-name-length.ts';
import { templateOf, type Names } from './pattern.ts';
import { every } from './three-valued-logic.ts';

/** An annotation that a default of a policy adds to a new Service. */
export interface AppliedDefault {
  readonly key: string;
  readonly value: string;
  readonly policy: string;
}

/** A default that cannot be applied to a Service, and the reason. */
export interface UnappliedDefault {
  readonly key: string;
  readonly policy: string;
  readonly why: string;
}

/** The result of the defaults of all policies for one Service. */
export interface AppliedDefaults {
  /** Sorted by key. */
  readonly applied: readonly AppliedDefault[];
  readonly unapplied: readonly UnappliedDefault[];
}

export const NO_DEFAULTS_APPLIED: AppliedDefaults = { applied: [], unapplied: [] };

/** Returns the value of a default for an object, or the reason why there is no value. */
function valueOf({ option, value }: Default, names: Names): { readonly value: string } | { readonly why: string } {
  const text = templateOf(value)(names);
  if (text === undefined) {
    return {
      why: names.name === '' ? 'the API server has not generated the name yet' : 'the cluster id is not known yet',
    };
  }
  const result = option === 'name' ? cutName(text) : text;
  const read = readerOf(CATALOGUE[option].value)(result);
  return read.ok ? { value: result } : { why: errorBody({ ...read.error, value: result }) };
}

/** Returns whether the Service has the annotation under its current or a deprecated key, even with an empty value. */
function isWritten(option: OptionName, annotations: Readonly<Record<string, string>>): boolean {
  const { key, deprecated } = CATALOGUE[option];
  return Object.hasOwn(annotations, key) || deprecated.some((form) => Object.hasOwn(annotations, form));
}

/** Returns whether a Service already has the annotations of all `options`. */
export function isAllWritten(options: ReadonlySet<OptionName>, { metadata: { annotations = {} } }: Service): boolean {
  for (const option of options) if (!isWritten(option, annotations)) return false;
  return true;
}

/** Returns whether a default can apply. On a reused load balancer, only listener defaults apply, and only with `force-override-listeners`. */
function mayApply(option: OptionName, { parsed: { options } }: ServiceView): boolean {
  const { onReused }: OptionDefinition = CATALOGUE[option];
  if (options.id === undefined) return onReused !== 'only';
  return onReused === 'if-overriding' && options.forceOverrideListeners === true;
}

/** Returns the Service with the defaults as annotations. */
function withApplied(object: Service, applied: ReadonlyMap<OptionName, AppliedDefault>): ServiceView {
  const added = Object.fromEntries([...applied.values()].map(({ key, value }) => [key, value]));
  const annotations = { ...object.metadata.annotations, ...added };
  return {
    object: { ...object, metadata: { ...object.metadata, annotations } },
    parsed: parseAnnotations(annotations),
  };
}

/** The result of one pass over the defaults of all policies. */
interface Round {
  readonly added: ReadonlyMap<OptionName, AppliedDefault>;
  readonly unapplied: readonly UnappliedDefault[];
}

const EMPTY_ROUND: Round = { added: new Map(), unapplied: [] };

/** Runs one pass. For each annotation, applies the first default whose conditions hold. */
function round(candidates: readonly Default[], names: Names, applies: (candidate: Default) => boolean): Round {
  const added = new Map<OptionName, AppliedDefault>();
  const unapplied: UnappliedDefault[] = [];
  const settled = new Set<OptionName>();
  for (const candidate of candidates) {
    const { option, policy } = candidate;
    if (settled.has(option) || !applies(candidate)) continue;
    settled.add(option);
    const { key } = CATALOGUE[option];
    const result = valueOf(candidate, names);
    if ('why' in result) unapplied.push({ key, policy: policy.name, why: result.why });
    else added.set(option, { key, value: result.value, policy: policy.name });
  }
  return { added, unapplied };
}

/** Returns the defaults that the webhook adds to a new Service. */
export function defaultsFor(
  view: ServiceView,
  defaults: readonly Default[],
  facts: Facts,
  names: Names,
): AppliedDefaults {
  const { annotations = {} } = view.object.metadata;
  const wanted = defaults.filter(({ option }) => !isWritten(option, annotations));
  const conditional = new Set(wanted.filter(({ when }) => when.length > 0).map(({ option }) => option));
  const applyRound = (applied: ReadonlyMap<OptionName, AppliedDefault>, among: readonly Default[]): Round => {
    const remaining = among.filter(({ option }) => !applied.has(option));
    if (remaining.length === 0) return EMPTY_ROUND;
    const base = applied.size === 0 ? view : withApplied(view.object, applied);
    const applies = ({ option, when }: Default): boolean =>
      mayApply(option, base) && every(when, (condition) => holds(condition, { view: base, facts, names })) === true;
    return round(remaining, names, applies);
  };
  // Annotations whose defaults have no conditions come first.
  let { added: applied } = applyRound(
    new Map(),
    wanted.filter(({ option }) => !conditional.has(option)),
  );
  // Rounds repeat, because a default can meet the conditions of another default.
  for (;;) {
    const { added, unapplied } = applyRound(applied, wanted);
    if (added.size === 0) return { applied: [...applied.values()].sort((a, b) => (a.key < b.key ? -1 : 1)), unapplied };
    applied = new Map([...applied, ...added]);
  }
}
