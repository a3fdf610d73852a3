import { keyOwnershipOf, type KeyOwnership } from '../../src/annotation/field-managers.ts';
import { deprecatedFormsOf, isKnownKey } from '../../src/annotation/deprecated-key-index.ts';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import type { AppliedDefault, AppliedDefaults } from '../../src/policy/annotation-defaults.ts';
import { staysManaged } from '../../src/rules/engine/provisioning-phase.ts';
import { isInteractive } from './request-field-manager.ts';

/** Returns whether a client wrote the annotation under its current or a deprecated key. No client owns an annotation that the webhook added. */
function isWritten(key: string, { lastApplied = new Set(), applied, updated }: KeyOwnership): boolean {
  const forms = [key, ...deprecatedFormsOf(key)];
  return [lastApplied, applied, updated].some((keys) => forms.some((form) => keys.has(form)));
}

/** An update of a Service: the new object and the stored object. */
export interface ServiceUpdate {
  readonly object: Service;
  readonly stored: Service;
  /** The options of the request. */
  readonly options: unknown;
}

/** Returns the earlier policy defaults that an update omits. Without these defaults, the load balancer would change. */
export function keptDefaults(
  { object, stored, options }: ServiceUpdate,
  newDefaultsOf: (object: Service) => AppliedDefaults,
): readonly AppliedDefault[] {
  if (isInteractive(object, options) || !staysManaged(object, stored)) return [];
  const omitted = omittedAnnotations(stored, object);
  if (omitted.length === 0) return [];
  const reduced = withKnownAnnotations(object);
  // A default may depend on an annotation that is not added again, so the remaining defaults are checked again.
  for (let kept = omitted; ;) {
    const next = restorable(reduced, kept, newDefaultsOf);
    if (next.length === kept.length) return next;
    kept = next;
  }
}

type OmittedDefault = Pick<AppliedDefault, 'key' | 'value'>;

/** Returns a Service with only the annotations that Portcullis knows. Thousands of other annotations would slow the repeated evaluation. */
function withKnownAnnotations(object: Service): Service {
  const known = Object.entries(object.metadata.annotations ?? {}).filter(([key]) => isKnownKey(key));
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(known) } };
}

/** Returns the stored annotations that Portcullis knows, that no client wrote and that the update omits. */
function omittedAnnotations(stored: Service, object: Service): readonly OmittedDefault[] {
  const after = object.metadata.annotations ?? {};
  const omitted = Object.entries(stored.metadata.annotations ?? {}).filter(
    ([key]) => isKnownKey(key) && !Object.hasOwn(after, key),
  );
  if (omitted.length === 0) return [];
  const written = keyOwnershipOf(stored);
  return omitted.flatMap(([key, value]) => (isWritten(key, written) ? [] : [{ key, value }]));
}

/** Returns each omitted annotation that a policy would add again if all other omitted annotations were present. */
const restorable = (
  object: Service,
  omitted: readonly OmittedDefault[],
  newDefaultsOf: (object: Service) => AppliedDefaults,
): readonly AppliedDefault[] =>
  omitted.flatMap(({ key, value }) => {
    const others = omitted.filter((other) => other.key !== key).map((other) => [other.key, other.value] as const);
    const annotations = { ...object.metadata.annotations, ...Object.fromEntries(others) };
    const { applied, unapplied } = newDefaultsOf({
      ...object,
      metadata: { ...object.metadata, annotations },
    });
    const found = [...applied, ...unapplied].find((each) => each.key === key);
    return found === undefined ? [] : [{ key, value, policy: found.policy }];
  });
