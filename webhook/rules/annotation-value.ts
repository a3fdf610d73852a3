import { CATALOGUE, type OptionName } from '../../src/annotation/catalogue.ts';
import type { Rule, ServiceSubject } from './rule.ts';
import { annotationField, listenersOf, managesListeners } from './engine/listeners.ts';

/** Whether nothing reads the annotation here: it is for protocols that no listener has, or for listeners that are not managed. */
function isWithoutEffect(subject: ServiceSubject, option: OptionName): boolean {
  const { appliesTo, onReused } = CATALOGUE[option];
  if (onReused === 'if-overriding' && !managesListeners(subject)) return true;
  const listeners = listenersOf(subject);
  const places: readonly string[] = appliesTo;
  return (
    listeners !== undefined &&
    places.every((place) => place.startsWith('listener:')) &&
    !listeners.some(({ protocol }) => places.includes(`listener:${protocol ?? ''}`))
  );
}

/** What is read all the same, or not read at all, is no reason to refuse. */
export const annotationValue: Rule = {
  name: 'annotation-value',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'The value of an annotation has its type, lies in its range or enumeration and has its format. What the cloud would refuse later is refused now.',
  check: (subject) =>
    subject.parsed.issues.map(({ option, key, found, allowed, fix }) => ({
      field: annotationField(key),
      found,
      allowed,
      fix,
      ...(subject.parsed.options[option] !== undefined || isWithoutEffect(subject, option) ? { advice: true } : {}),
    })),
};
