import type { Service } from '../src/objects.ts';
import type { Facts } from '../src/inventory/facts.ts';
import { NO_FILLINGS, type Fillings } from '../src/policy/defaults.ts';
import { addedTo } from './added.ts';
import type { PatchOperation } from './review.ts';
import { filledText, unfilledText } from './rules/engine/filling-text.ts';
import { startsAnew } from './rules/engine/presence.ts';

/** What a Service is to be given by policies, beside what is stored of it. */
export type Defaults = (object: Service, stored: Service | undefined) => Fillings;

export const NO_DEFAULTS: Defaults = () => NO_FILLINGS;

/** What knows of the defaults. */
interface Giver {
  fillingsFor(object: Service, facts: Facts): Fillings;
}

/** Gives Services that are new to us what policies have for them. */
export const defaultsBy =
  (policy: Giver, facts: Facts): Defaults =>
  (object, stored) =>
    startsAnew(object, stored, facts) ? policy.fillingsFor(object, facts) : NO_FILLINGS;

/** The operations that give a Service what it is to be given. */
export const filledIn = ({ metadata }: Service, { filled }: Fillings): readonly PatchOperation[] =>
  addedTo(
    'annotations',
    metadata,
    filled.map(({ key, value }) => [key, value]),
  );

/** What is told of it, a sentence each. */
export const fillingTexts = ({ filled, unfilled }: Fillings, whose: string): readonly string[] => [
  ...filled.map((filling) => `${whose}: ${filledText(filling)}`),
  ...unfilled.map((filling) => `${whose}: ${unfilledText(filling)}`),
];
