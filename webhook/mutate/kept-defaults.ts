import { keyOwnershipOf, type KeyOwnership } from '../../src/annotation/field-ownership.ts';
import { deprecatedFormsOf, isKnownKey } from '../../src/annotation/deprecated.ts';
import type { Service } from '../../src/base/objects.ts';
import type { AppliedDefault, AppliedDefaults } from '../../src/policy/defaults.ts';
import { goesOn } from '../../src/rules/engine/phase.ts';
import { isInteractive } from './field-manager.ts';

/** Returns whether a client, not only a webhook, wrote the annotation under any of its keys. */
function isWritten(key: string, { lastApplied = new Set(), applied, updated }: KeyOwnership): boolean {
  const forms = [key, ...deprecatedFormsOf(key)];
  return [lastApplied, applied, updated].some((keys) => forms.some((form) => keys.has(form)));
}

/** A Service as somebody writes it over what is stored. */
export interface Rewritten {
  readonly object: Service;
  readonly stored: Service;
  /** Of the request. */
  readonly options: unknown;
}

/**
 * Of the annotations that policies have defaults for, those that a Service has been given, and that a write leaves out which is not about
 * them: a manifest that is put in its place, or a tool that says of the stored object what it has always said. Neither means to open what
 * they close. They stay as they are stored, whatever the default would be by now. What somebody has written goes, as they have taken it
 * out; and a person who takes a key out of what is stored gets rid of it.
 * `fillings`: what such a Service would be given if it were new.
 */
export function keptDefaults(
  { object, stored, options }: Rewritten,
  fillings: (object: Service) => AppliedDefaults,
): readonly AppliedDefault[] {
  if (isInteractive(object, options) || !goesOn(object, stored)) return [];
  const left = undeclaredIn(stored, object);
  if (left.length === 0) return [];
  const heard = inCatalogue(object);
  for (let kept = left; ;) {
    const inForce = withDefault(heard, kept, fillings);
    if (inForce.length === kept.length) return inForce;
    kept = inForce;
  }
}

type Left = Pick<AppliedDefault, 'key' | 'value'>;

/** A Service with no annotations but those that policies speak of: there may be thousands of others, and it is looked at again and again. */
function inCatalogue(object: Service): Service {
  const known = Object.entries(object.metadata.annotations ?? {}).filter(([key]) => isKnownKey(key));
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(known) } };
}

/** What a policy may have a default for that is stored and left out, and nobody has written. */
function undeclaredIn(stored: Service, object: Service): readonly Left[] {
  const after = object.metadata.annotations ?? {};
  const left = Object.entries(stored.metadata.annotations ?? {}).filter(
    ([key]) => isKnownKey(key) && !Object.hasOwn(after, key),
  );
  if (left.length === 0) return [];
  const written = keyOwnershipOf(stored);
  return left.flatMap(([key, value]) => (isWritten(key, written) ? [] : [{ key, value }]));
}

/** Those that have a default where all the others are as they are stored: conditions of one may be about another. */
const withDefault = (
  object: Service,
  left: readonly Left[],
  fillings: (object: Service) => AppliedDefaults,
): readonly AppliedDefault[] =>
  left.flatMap(({ key, value }) => {
    const others = left.filter((other) => other.key !== key).map((other) => [other.key, other.value] as const);
    const annotations = { ...object.metadata.annotations, ...Object.fromEntries(others) };
    const { applied: filled, unapplied: unfilled } = fillings({
      ...object,
      metadata: { ...object.metadata, annotations },
    });
    const found = [...filled, ...unfilled].find((each) => each.key === key);
    return found === undefined ? [] : [{ key, value, policy: found.policy }];
  });
