import { CATALOGUE, ENTRIES } from '../../../src/annotation/catalogue.ts';
import { errorBody, quoted } from '../../../src/base/field-error.ts';
import type { OptionDefinition } from '../../../src/annotation/option-definition.ts';
import { typeError } from '../../../src/annotation/allowed-values.ts';
import type { EnumType, IntegerType, TextType, ValueType } from '../../../src/annotation/value-type.ts';
import { annotationValue } from '../../../src/rules/annotation-value.ts';
import { REUSE_KEY, literal, valueOf } from './cel.ts';
import type { Policy, Validation } from './policy.ts';
import { BOTH_SIDES, SERVICES } from './service.ts';
import { quotedIn } from './message-expression.ts';

/** The pattern of a whole number. After leading zeros, it has at most 12 digits, because larger numbers exceed the range of every annotation. */
export const WHOLE_NUMBER = '^[+-]?0*[0-9]{1,12}$';

const amongst = (values: readonly string[]): string => `[${values.map(literal).join(', ')}]`;

/** Words for `false`, for options that treat every other word as `true`. */
const NEGATIONS = ['false', 'off', 'no', '0', 'disable', 'disabled', 'none'];

function isWord(values: readonly string[], otherwise: readonly string[], anyCase = false): string {
  const own = anyCase
    ? `v.lowerAscii() in ${amongst(values.map((value) => value.toLowerCase()))}`
    : `v in ${amongst(values)}`;
  return otherwise.length === 0 ? own : `(${own} || v.trim().lowerAscii() in ${amongst(otherwise)})`;
}

const isEnum = ({ values, otherwise, anyCase }: EnumType): string =>
  isWord(values, otherwise === undefined ? [] : [otherwise], anyCase);

/** A zero outside the range is allowed, because the controller treats the value as unset. */
const isInteger = ({ min, max, also = [] }: IntegerType): string =>
  `(v.matches(${literal(WHOLE_NUMBER)}) && (int(v) in ${JSON.stringify([0, ...also])} || (int(v) >= ${min} && int(v) <= ${max})))`;

function isText({ max, pattern, not = [], format }: TextType): string | undefined {
  if (format === 'host-name') return undefined;
  return [
    `size(v) <= ${max}`,
    ...(pattern === undefined ? [] : [`v.matches(${literal(pattern.source)})`]),
    ...(format === 'ipv4' ? ['isIP(v) && ip(v).family() == 4'] : []),
    ...(pattern === undefined && format === undefined
      ? ["v.trim() != ''", ...not.map((beginning) => `!v.startsWith(${literal(beginning)})`)]
      : []),
  ].join(' && ');
}

type Tests = {
  readonly [Kind in ValueType['kind']]?: (type: Extract<ValueType, { kind: Kind }>) => string | undefined;
};

/** Expressions that are true for a valid value `v`, by type. Lists of entries are omitted, because their check does not fit into one line of CEL. */
const TESTS: Tests = {
  enum: isEnum,
  flag: ({ otherwise, anyCase }) => isWord(['on', 'off'], otherwise === undefined ? [] : NEGATIONS, anyCase),
  boolean: ({ otherwise }) => isWord(['true', 'false'], otherwise === undefined ? [] : NEGATIONS),
  integer: isInteger,
  text: isText,
};

const isValue = (type: ValueType): string | undefined =>
  (TESTS[type.kind] as ((type: ValueType) => string | undefined) | undefined)?.(type);

/** Returns whether only listeners of some protocols read the option. A policy does not know the listeners, so the policy must allow any value. */
const isOfSomeListeners = ({ appliesTo }: OptionDefinition): boolean =>
  appliesTo.every((place) => place.startsWith('listener:'));

/** Returns whether the option selects another controller. */
const isOfOthers = ({ appliesTo }: OptionDefinition): boolean => appliesTo.includes('selection');

/** The options whose values a policy can check. */
const CHECKS = ENTRIES.filter(([, entry]) => !isOfSomeListeners(entry) && !isOfOthers(entry)).flatMap(([, entry]) => {
  const test = isValue(entry.value);
  return test === undefined ? [] : [{ entry, test }];
});

const SAMPLE = 'sample';

function validationOf({ entry, test }: { readonly entry: OptionDefinition; readonly test: string }): Validation {
  const [now, before] = [valueOf(entry.key, 'variables.now'), valueOf(entry.key, 'variables.before')];
  // A reused load balancer without override ignores the annotation.
  const unread = entry.onReused === 'if-overriding' ? ' || variables.reuses' : '';
  const value = `[${now}]`;
  const [title = '', detail = ''] = errorBody({ ...typeError(entry.value, undefined), value: SAMPLE }).split(
    quoted(SAMPLE),
  );
  return {
    expression: `${value}.all(v, v == '' || (variables.wasOurs && v == (${before}))${unread} || ${test})`,
    messageExpression: `${value}.map(v, ${literal(`metadata.annotations[${entry.key}]: ${title}`)} + ${quotedIn('v')} + ${literal(`${detail} [${annotationValue.name}]`)})[0]`,
  };
}

/** The policy portcullis-annotation-values, which `make generate` writes for clusters without the webhook. */
export const ANNOTATION_VALUES: Policy = {
  name: 'portcullis-annotation-values',
  description:
    'Denies invalid values of annotations. For clusters without the webhook, which reports more, and all violations at once.',
  ...SERVICES,
  variables: [
    ...BOTH_SIDES,
    {
      name: 'reuses',
      expression: `(${valueOf(REUSE_KEY, 'variables.now')}) != '' && (${valueOf(CATALOGUE.forceOverrideListeners.key, 'variables.now')}) != 'true'`,
    },
  ],
  validations: CHECKS.map(validationOf),
};
