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

/** A write of a Service over the stored Service. */
export interface Rewritten {
  readonly object: Service;
  readonly stored: Service;
  /** The options of the request. */
  readonly options: unknown;
}

/**
 * Returns earlier defaults that a full manifest or a tool leaves out; they stay as stored. Annotations that a client wrote, or that a user's command
 * removes, are not kept. `fillings` returns the defaults of a new Service.
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

/** Returns a Service with the annotations of the catalogue only. There may be thousands of others, and the Service is evaluated repeatedly. */
function inCatalogue(object: Service): Service {
  const known = Object.entries(object.metadata.annotations ?? {}).filter(([key]) => isKnownKey(key));
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(known) } };
}

/** Returns the stored annotations of the catalogue that the write leaves out and no client wrote. */
function undeclaredIn(stored: Service, object: Service): readonly Left[] {
  const after = object.metadata.annotations ?? {};
  const left = Object.entries(stored.metadata.annotations ?? {}).filter(
    ([key]) => isKnownKey(key) && !Object.hasOwn(after, key),
  );
  if (left.length === 0) return [];
  const written = keyOwnershipOf(stored);
  return left.flatMap(([key, value]) => (isWritten(key, written) ? [] : [{ key, value }]));
}

/** Returns the annotations that have a default if all others stay as stored. Conditions of a default may depend on other annotations. */
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
