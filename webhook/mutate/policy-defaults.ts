import type { Service } from '../../src/base/kubernetes-objects.ts';
import { annotationField } from '../../src/annotation/annotation-field-path.ts';
import type { Facts } from '../../src/inventory/facts.ts';
import {
  NO_DEFAULTS_APPLIED,
  type AppliedDefault,
  type AppliedDefaults,
} from '../../src/policy/annotation-defaults.ts';
import { addedTo } from './map-patch.ts';
import { keptDefaults } from './kept-defaults.ts';
import type { PatchOperation } from '../admission/admission-review.ts';
import { appliedDefaultText, keptDefaultText, unappliedText } from '../../src/rules/engine/policy-default-warnings.ts';
import { isNewlyManaged } from '../../src/rules/engine/provisioning-phase.ts';

/** The defaults of policies for one Service: new defaults, defaults that cannot be applied, and earlier defaults that stay. */
export interface ServiceDefaults extends AppliedDefaults {
  /** Defaults that an earlier request added and that the present request keeps. */
  readonly kept: readonly AppliedDefault[];
}

/** A function that returns the policy defaults of a Service, from the stored Service and the options of the request. */
export type Defaults = (object: Service, stored: Service | undefined, options: unknown) => ServiceDefaults;

/** A function that returns no defaults, for `/mutate` without policies. */
export const NO_DEFAULTS: Defaults = () => ({ ...NO_DEFAULTS_APPLIED, kept: [] });

/** The policies of the cluster, which provide defaults. */
interface DefaultsSource {
  defaultsForService(object: Service, facts: Facts): AppliedDefaults;
}

/** Returns the function that finds the policy defaults of a Service. Only a newly managed Service gets new defaults. */
export const defaultsBy =
  (policy: DefaultsSource, facts: Facts): Defaults =>
  (object, stored, options) => {
    const newDefaultsOf = (service: Service): AppliedDefaults => policy.defaultsForService(service, facts);
    if (isNewlyManaged(object, stored, facts)) return { ...newDefaultsOf(object), kept: [] };
    const kept = stored === undefined ? [] : keptDefaults({ object, stored, options }, newDefaultsOf);
    return { ...NO_DEFAULTS_APPLIED, kept };
  };

/** Returns the new and the kept defaults of a Service. */
export const allDefaultsOf = ({ applied, kept }: ServiceDefaults): readonly AppliedDefault[] => [...applied, ...kept];

/** Returns the JSON Patch operations that add the defaults which a Service lacks. */
export const defaultOperations = ({ metadata }: Service, serviceDefaults: ServiceDefaults): readonly PatchOperation[] =>
  addedTo(
    'annotations',
    metadata,
    allDefaultsOf(serviceDefaults).flatMap(({ key, value }) =>
      metadata.annotations?.[key] === value ? [] : [[key, value] as const],
    ),
  );

/**
 * Returns a warning for each default that is applied, kept or not applicable, so that users see how the stored Service differs from their manifest.
 */
export const defaultTexts = ({ applied, unapplied, kept }: ServiceDefaults, objectName: string): readonly string[] => [
  ...applied.map((each) => `${objectName}: ${annotationField(each.key)}: ${appliedDefaultText(each)}`),
  ...unapplied.map((each) => `${objectName}: ${annotationField(each.key)}: ${unappliedText(each)}`),
  ...kept.map((each) => `${objectName}: ${annotationField(each.key)}: ${keptDefaultText(each)}`),
];
