import type { Description, OptionDefinition } from './option-definition.ts';
import type { ValueType } from './value-type.ts';

/** What the keys of most annotations of Services begin with, whoever reads them. */
export const GROUP = 'service.beta.kubernetes.io/';
/** What our keys begin with; keys of other controllers may, too. */
export const CURRENT_PREFIX = `${GROUP}alibaba-cloud-`;
/** Used until 2020; read wherever the current key is absent. */
export const LEGACY_PREFIX = `${GROUP}alicloud-`;

/** Kubernetes' own annotation, which is read if a Service has no `spec.loadBalancerSourceRanges`. */
export const SOURCE_RANGES = `${GROUP}load-balancer-source-ranges`;

const LOAD_BALANCER = 'loadbalancer-';
/** How it is written, rightly and wrongly. */
const WORDS = [LOAD_BALANCER, 'load-balancer-'] as const;

/** Words that the spelling of 2017 may write in capitals: `CertID`, `HealthCheckURI`. */
const ACRONYMS: ReadonlySet<string> = new Set(['acl', 'id', 'ip', 'uri']);

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The ways in which the 1.9.3 releases could be given a suffix in camel case. */
function camelCases(suffix: string): string[] {
  const spellings = suffix
    .split('-')
    .map((word) => (ACRONYMS.has(word) ? [word.toUpperCase(), capital(word)] : [capital(word)]));
  return spellings.reduce<string[]>(
    (beginnings, endings) => beginnings.flatMap((begin) => endings.map((end) => begin + end)),
    [''],
  );
}

/** Releases before 2.0 turned camel case into words joined by `-`, so every annotation that they knew has such a form. */
const hasCamelCase = (entry: { readonly since: string }): boolean => entry.since.startsWith('v1.9.3');

function deprecatedForms(description: Description): string[] {
  const camel = description.camelCase ? [description.camelCase] : camelCases(description.suffix);
  return [
    `${LEGACY_PREFIX}${LOAD_BALANCER}${description.suffix}`,
    ...(hasCamelCase(description) || description.camelCase
      ? camel.map((spelling) => `${LEGACY_PREFIX}${LOAD_BALANCER}${spelling}`)
      : []),
  ];
}

/** An annotation whose key is built from its suffix, with its deprecated forms. */
export const annotation = <const Type extends ValueType>(description: Description<Type>): OptionDefinition<Type> => ({
  ...description,
  key: `${CURRENT_PREFIX}${LOAD_BALANCER}${description.suffix}`,
  deprecated: deprecatedForms(description),
});

/** An annotation that came after the change of prefix and has one key only. */
export const annotationWithoutForms = <const Type extends ValueType>(
  description: Description<Type>,
  key = `${CURRENT_PREFIX}${LOAD_BALANCER}${description.suffix}`,
): OptionDefinition<Type> => ({ ...description, key, deprecated: [] });

/** Under one of our prefixes; it may still be another controller's. */
export const isUnderOurPrefixes = (key: string): boolean =>
  key.startsWith(CURRENT_PREFIX) || key.startsWith(LEGACY_PREFIX);

/** What follows the prefix, and `loadbalancer-`: `bandwidth`. The key itself when it has neither. */
export function suffixOf(key: string): string {
  const prefix = [CURRENT_PREFIX, LEGACY_PREFIX, GROUP].find((candidate) => key.startsWith(candidate)) ?? '';
  const rest = key.slice(prefix.length);
  const word = WORDS.find((candidate) => rest.startsWith(candidate)) ?? '';
  return rest.slice(word.length);
}
