import type { Service } from '../../src/base/objects.ts';
import { annotationField } from '../../src/annotation/field.ts';
import type { Facts } from '../../src/inventory/facts.ts';
import { NO_DEFAULTS_APPLIED, type AppliedDefault, type AppliedDefaults } from '../../src/policy/defaults.ts';
import { addedTo } from './json-patch.ts';
import { keptDefaults } from './kept-defaults.ts';
import type { PatchOperation } from '../admission/review.ts';
import { filledText, keptDefaultText, unappliedText } from '../../src/rules/engine/default-text.ts';
import { startsAnew } from '../../src/rules/engine/phase.ts';

/** The policy defaults of a Service. */
export interface ServiceDefaults extends AppliedDefaults {
  /** The defaults that an earlier write added and that stay. */
  readonly kept: readonly AppliedDefault[];
}

/** Returns the policy defaults of a Service, given the stored Service and the options of the request. */
export type Defaults = (object: Service, stored: Service | undefined, options: unknown) => ServiceDefaults;

export const NO_DEFAULTS: Defaults = () => ({ ...NO_DEFAULTS_APPLIED, kept: [] });

interface DefaultsSource {
  fillingsFor(object: Service, facts: Facts): AppliedDefaults;
}

/** Returns the function that adds policy defaults to Services that become managed. All other Services keep their earlier defaults. */
export const defaultsBy =
  (policy: DefaultsSource, facts: Facts): Defaults =>
  (object, stored, options) => {
    const fillings = (service: Service): AppliedDefaults => policy.fillingsFor(service, facts);
    if (startsAnew(object, stored, facts)) return { ...fillings(object), kept: [] };
    const kept = stored === undefined ? [] : keptDefaults({ object, stored, options }, fillings);
    return { ...NO_DEFAULTS_APPLIED, kept };
  };

/** Returns all defaults, new and kept. */
export const allDefaultsOf = ({ applied: filled, kept }: ServiceDefaults): readonly AppliedDefault[] => [
  ...filled,
  ...kept,
];

/** Returns the operations that add the missing defaults to a Service. */
export const filledIn = ({ metadata }: Service, given: ServiceDefaults): readonly PatchOperation[] =>
  addedTo(
    'annotations',
    metadata,
    allDefaultsOf(given).flatMap(({ key, value }) =>
      metadata.annotations?.[key] === value ? [] : [[key, value] as const],
    ),
  );

/** Returns a warning for each default. */
export const defaultTexts = (
  { applied: filled, unapplied: unfilled, kept }: ServiceDefaults,
  whose: string,
): readonly string[] => [
  ...filled.map((filling) => `${whose}: ${annotationField(filling.key)}: ${filledText(filling)}`),
  ...unfilled.map((filling) => `${whose}: ${annotationField(filling.key)}: ${unappliedText(filling)}`),
  ...kept.map((filling) => `${whose}: ${annotationField(filling.key)}: ${keptDefaultText(filling)}`),
];
