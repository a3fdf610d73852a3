import type { Service } from '../src/objects.ts';
import type { Fillings } from '../src/policy/defaults.ts';
import { addedTo } from './added.ts';
import type { PatchOperation } from './review.ts';
import { filledText, unfilledText } from './rules/engine/filling-text.ts';

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
