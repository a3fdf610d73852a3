import type { Description, OptionDefinition } from './option-definition.ts';
import type { ValueType } from './value-type.ts';

/** The prefix of most annotations of Services, for the controllers of all clouds. */
export const GROUP = 'service.beta.kubernetes.io/';
/** The prefix of current keys, which other controllers use too. */
export const CURRENT_PREFIX = `${GROUP}alibaba-cloud-`;
/** The prefix of deprecated keys. Portcullis reads such a key if the current key is missing. */
export const LEGACY_PREFIX = `${GROUP}alicloud-`;

/** The annotation with which Kubernetes users limit clients. The rule `ignored-field` warns about the annotation, because Portcullis ignores it. */
export const SOURCE_RANGES = `${GROUP}load-balancer-source-ranges`;

const LOAD_BALANCER = 'loadbalancer-';
/** The word after the prefix, in the correct spelling and in a frequent wrong spelling. */
const WORDS = [LOAD_BALANCER, 'load-balancer-'] as const;

/** Words that camel case keys may write in capitals, as in `CertID` and `HealthCheckURI`. */
const ACRONYMS: ReadonlySet<string> = new Set(['acl', 'id', 'ip', 'uri']);

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns the camel case spellings of a suffix, which release 1.9.3 of the Alibaba Cloud Controller Manager accepted. */
function camelCases(suffix: string): string[] {
  const spellings = suffix
    .split('-')
    .map((word) => (ACRONYMS.has(word) ? [word.toUpperCase(), capital(word)] : [capital(word)]));
  return spellings.reduce<string[]>(
    (beginnings, endings) => beginnings.flatMap((begin) => endings.map((end) => begin + end)),
    [''],
  );
}

/** Returns whether an annotation has camel case keys, as all annotations of release 1.9.3 have. */
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

/** Defines an annotation that has deprecated keys, for the catalogue. Builds all keys from the suffix. */
export const annotation = <const Type extends ValueType>(description: Description<Type>): OptionDefinition<Type> => ({
  ...description,
  key: `${CURRENT_PREFIX}${LOAD_BALANCER}${description.suffix}`,
  deprecated: deprecatedForms(description),
});

/** Defines an annotation that has a single key, because it is newer than the current prefix. */
export const annotationWithoutForms = <const Type extends ValueType>(
  description: Description<Type>,
  key = `${CURRENT_PREFIX}${LOAD_BALANCER}${description.suffix}`,
): OptionDefinition<Type> => ({ ...description, key, deprecated: [] });

/** Returns whether a key has a prefix of this controller, even if the key belongs to another controller. */
export const isUnderOurPrefixes = (key: string): boolean =>
  key.startsWith(CURRENT_PREFIX) || key.startsWith(LEGACY_PREFIX);

/** Returns the part of a key after the prefix and `loadbalancer-`, if it has these parts, such as `bandwidth`. */
export function suffixOf(key: string): string {
  const prefix = [CURRENT_PREFIX, LEGACY_PREFIX, GROUP].find((candidate) => key.startsWith(candidate)) ?? '';
  const rest = key.slice(prefix.length);
  const word = WORDS.find((candidate) => rest.startsWith(candidate)) ?? '';
  return rest.slice(word.length);
}
