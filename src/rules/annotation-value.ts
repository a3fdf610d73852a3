import { CATALOGUE, ENTRIES, type OptionName } from '../annotation/catalogue.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { listenersOf, managesListeners } from './engine/service-listeners.ts';

/** The prefix of scopes for listeners of one protocol. */
const LISTENER = 'listener:';

/** The protocols of the listeners that an option affects. Only options for listeners of certain protocols have an entry. */
const READERS: ReadonlyMap<OptionName, ReadonlySet<string>> = new Map(
  ENTRIES.flatMap(([option, { appliesTo }]) =>
    appliesTo.every((scope) => scope.startsWith(LISTENER))
      ? [[option, new Set(appliesTo.map((scope) => scope.slice(LISTENER.length)))] as const]
      : [],
  ),
);

/** Returns a function that checks whether an option has no effect on the listeners of the Service. */
function withoutEffect(subject: ServiceSubject): (option: OptionName) => boolean {
  const isManaged = managesListeners(subject);
  const listeners = listenersOf(subject);
  return (option) => {
    if (!isManaged && CATALOGUE[option].onReused === 'if-overriding') return true;
    const readers = READERS.get(option);
    if (readers === undefined || listeners === undefined) return false;
    return !listeners.some(({ protocol }) => protocol !== undefined && readers.has(protocol));
  };
}

/** The warning for an invalid value that has no effect on the Service. */
const WITHOUT_EFFECT = {
  reason: 'Invalid',
  detail: 'has no effect on this Service, and is not a valid value',
  remedy: 'remove the annotation',
  advice: true,
} as const satisfies Partial<Violation>;

/** Denies invalid values that would take effect. All other invalid values only warn. */
export const annotationValue: Rule = {
  name: 'annotation-value',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'The value of an annotation has the right type, range and format. The rule denies values that the cloud would reject later.',
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  annotations:
    ${CATALOGUE.establishedTimeout.key}: "1h"
    ${CATALOGUE.addressType.key}: public
`,
    right: `metadata:
  annotations:
    ${CATALOGUE.establishedTimeout.key}: "900"
    ${CATALOGUE.addressType.key}: internet
`,
  },
  check: (subject) => {
    const { issues, options } = subject.parsed;
    if (issues.length === 0) return [];
    const hasNoEffect = withoutEffect(subject);
    return issues.map(({ option, key, value, error, isIgnored }) => {
      const violation = { field: annotationField(key), value, ...error };
      if (options[option] !== undefined || isIgnored === true) return { ...violation, advice: true };
      return hasNoEffect(option) ? { ...violation, ...WITHOUT_EFFECT } : violation;
    });
  },
};
