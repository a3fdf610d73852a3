import type { Service } from '../src/objects.ts';
import type { Fillings } from '../src/policy/defaults.ts';
import type { PatchOperation } from './review.ts';
import { filledText, unfilledText } from './rules/engine/filling-text.ts';

const ANNOTATIONS = '/metadata/annotations';

/** The operations that give a Service what it is to be given. */
export function filledIn({ metadata }: Service, { filled }: Fillings): readonly PatchOperation[] {
  const added = filled.map(({ key, value }) => ({
    op: 'add' as const,
    path: `${ANNOTATIONS}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    value,
  }));
  const isMapMissing = metadata.annotations === undefined && added.length > 0;
  return isMapMissing ? [{ op: 'add', path: ANNOTATIONS, value: {} }, ...added] : added;
}

/** What is told of it, a sentence each. */
export const fillingTexts = ({ filled, unfilled }: Fillings, whose: string): readonly string[] => [
  ...filled.map((filling) => `${whose}: ${filledText(filling)}`),
  ...unfilled.map((filling) => `${whose}: ${unfilledText(filling)}`),
];
