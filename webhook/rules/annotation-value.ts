import { CATALOGUE, type OptionName } from '../../src/annotation/catalogue.ts';
import type { Rule, ServiceSubject } from './rule.ts';
import { annotationField, listenersOf, managesListeners } from './engine/listeners.ts';

/** Tells whether nothing reads an annotation here: it is for protocols that no listener has, or for listeners that are not managed. */
function withoutEffect(subject: ServiceSubject): (option: OptionName) => boolean {
  const isManaged = managesListeners(subject);
  const protocols = listenersOf(subject)?.map(({ protocol }) => `listener:${protocol ?? ''}`);
  return (option) => {
    const { appliesTo, onReused } = CATALOGUE[option];
    if (onReused === 'if-overriding' && !isManaged) return true;
    const places: readonly string[] = appliesTo;
    return (
      protocols !== undefined &&
      places.every((place) => place.startsWith('listener:')) &&
      !protocols.some((protocol) => places.includes(protocol))
    );
  };
}

/** What is read all the same, or not read at all, is no reason to refuse. */
export const annotationValue: Rule = {
  name: 'annotation-value',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'The value of an annotation has its type, lies in its range or enumeration and has its format. What the cloud would refuse later is refused now.',
  check: (subject) => {
    const { issues, options } = subject.parsed;
    if (issues.length === 0) return [];
    const hasNoEffect = withoutEffect(subject);
    return issues.map(({ option, key, found, allowed, fix }) => ({
      field: annotationField(key),
      found,
      allowed,
      fix,
      ...(options[option] !== undefined || hasNoEffect(option) ? { advice: true } : {}),
    }));
  },
};
