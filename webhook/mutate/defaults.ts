import type { Service } from '../../src/base/objects.ts';
import type { Facts } from '../../src/inventory/facts.ts';
import { NO_DEFAULTS_APPLIED, type AppliedDefault, type AppliedDefaults } from '../../src/policy/defaults.ts';
import { addedTo } from './json-patch.ts';
import { keptDefaults } from './kept-defaults.ts';
import type { PatchOperation } from '../admission/review.ts';
import { filledText, keptDefaultText, unappliedText } from '../../src/rules/engine/default-text.ts';
import { startsAnew } from '../../src/rules/engine/phase.ts';

/** What a Service is given by policies. */
export interface ServiceDefaults extends AppliedDefaults {
  /** What it has been given before, and keeps. */
  readonly kept: readonly AppliedDefault[];
}

/** What a Service is to be given by policies, beside what is stored of it, and by the options of the request. */
export type Defaults = (object: Service, stored: Service | undefined, options: unknown) => ServiceDefaults;

export const NO_DEFAULTS: Defaults = () => ({ ...NO_DEFAULTS_APPLIED, kept: [] });

/** What knows of the defaults. */
interface DefaultsSource {
  fillingsFor(object: Service, facts: Facts): AppliedDefaults;
}

/** Gives Services that are new to us what policies have for them, and leaves others what they were given. */
export const defaultsBy =
  (policy: DefaultsSource, facts: Facts): Defaults =>
  (object, stored, options) => {
    const fillings = (service: Service): AppliedDefaults => policy.fillingsFor(service, facts);
    if (startsAnew(object, stored, facts)) return { ...fillings(object), kept: [] };
    const kept = stored === undefined ? [] : keptDefaults({ object, stored, options }, fillings);
    return { ...NO_DEFAULTS_APPLIED, kept };
  };

/** What it is given, be it new or kept. */
export const allDefaultsOf = ({ applied: filled, kept }: ServiceDefaults): readonly AppliedDefault[] => [
  ...filled,
  ...kept,
];

/** The operations that give a Service what it is to be given, as far as it does not stand there. */
export const filledIn = ({ metadata }: Service, given: ServiceDefaults): readonly PatchOperation[] =>
  addedTo(
    'annotations',
    metadata,
    allDefaultsOf(given).flatMap(({ key, value }) =>
      metadata.annotations?.[key] === value ? [] : [[key, value] as const],
    ),
  );

/** What is told of it, a sentence each. */
export const defaultTexts = (
  { applied: filled, unapplied: unfilled, kept }: ServiceDefaults,
  whose: string,
): readonly string[] => [
  ...filled.map((filling) => `${whose}: ${filledText(filling)}`),
  ...unfilled.map((filling) => `${whose}: ${unappliedText(filling)}`),
  ...kept.map((filling) => `${whose}: ${keptDefaultText(filling)}`),
];
