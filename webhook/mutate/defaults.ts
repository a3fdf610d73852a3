import type { Service } from '../../src/base/objects.ts';
import { annotationField } from '../../src/annotation/field.ts';
import type { Facts } from '../../src/inventory/facts.ts';
import { NO_DEFAULTS_APPLIED, type AppliedDefault, type AppliedDefaults } from '../../src/policy/defaults.ts';
import { addedTo } from './json-patch.ts';
import { keptDefaults } from './kept-defaults.ts';
import type { PatchOperation } from '../admission/review.ts';
import { appliedDefaultText, keptDefaultText, unappliedText } from '../../src/rules/engine/default-text.ts';
import { isNewlyManaged } from '../../src/rules/engine/phase.ts';

/** The policy defaults of a Service. */
export interface ServiceDefaults extends AppliedDefaults {
  /** The defaults that an earlier write added and that stay. */
  readonly kept: readonly AppliedDefault[];
}

/** Returns the policy defaults of a Service, given the stored Service and the options of the request. */
export type Defaults = (object: Service, stored: Service | undefined, options: unknown) => ServiceDefaults;

export const NO_DEFAULTS: Defaults = () => ({ ...NO_DEFAULTS_APPLIED, kept: [] });

interface DefaultsSource {
  defaultsForService(object: Service, facts: Facts): AppliedDefaults;
}

/** Returns the function that adds policy defaults to Services that become managed. All other Services keep their earlier defaults. */
export const defaultsBy =
  (policy: DefaultsSource, facts: Facts): Defaults =>
  (object, stored, options) => {
    const newDefaultsOf = (service: Service): AppliedDefaults => policy.defaultsForService(service, facts);
    if (isNewlyManaged(object, stored, facts)) return { ...newDefaultsOf(object), kept: [] };
    const kept = stored === undefined ? [] : keptDefaults({ object, stored, options }, newDefaultsOf);
    return { ...NO_DEFAULTS_APPLIED, kept };
  };

/** Returns all defaults, new and kept. */
export const allDefaultsOf = ({ applied, kept }: ServiceDefaults): readonly AppliedDefault[] => [...applied, ...kept];

/** Returns the operations that add the missing defaults to a Service. */
export const defaultOperations = ({ metadata }: Service, serviceDefaults: ServiceDefaults): readonly PatchOperation[] =>
  addedTo(
    'annotations',
    metadata,
    allDefaultsOf(serviceDefaults).flatMap(({ key, value }) =>
      metadata.annotations?.[key] === value ? [] : [[key, value] as const],
    ),
  );

/** Returns a warning for each default. */
export const defaultTexts = ({ applied, unapplied, kept }: ServiceDefaults, objectName: string): readonly string[] => [
  ...applied.map((each) => `${objectName}: ${annotationField(each.key)}: ${appliedDefaultText(each)}`),
  ...unapplied.map((each) => `${objectName}: ${annotationField(each.key)}: ${unappliedText(each)}`),
  ...kept.map((each) => `${objectName}: ${annotationField(each.key)}: ${keptDefaultText(each)}`),
];
