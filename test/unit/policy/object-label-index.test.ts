import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isSelected, LabelIndex, type Labelling, type Selectors } from '../../../src/policy/object-label-index.ts';
import type { LabelSelector } from '../../../src/policy/custom-resources.ts';
import { NOTHING, selectorOf, type Labelled, type Selector } from '../../../src/policy/selector.ts';
import { StoredLabels } from '../../../src/policy/stored-labels.ts';
import { aService } from '../../support/service.ts';

const KEYS = ['a', 'b'] as const;
const VALUES = ['x', 'y', 'z'] as const;
const labelled = fc
  .dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES))
  .map((labels): Labelled => ({ labels, isComplete: true }));
const labelling: fc.Arbitrary<Labelling> = fc.record({ namespace: labelled, own: labelled });
const expression = fc.oneof(
  fc.record({
    key: fc.constantFrom(...KEYS),
    operator: fc.constantFrom('In' as const, 'NotIn' as const),
    values: fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1 }),
  }),
  fc.record({ key: fc.constantFrom(...KEYS), operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
);
const labelSelector: fc.Arbitrary<LabelSelector> = fc.record({
  matchLabels: fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES)),
  matchExpressions: fc.array(expression, { maxLength: 2 }),
});
const selector = labelSelector.map((each) => {
  try {
    return selectorOf(each);
  } catch {
    return NOTHING;
  }
});
const selectors: fc.Arbitrary<Selectors> = fc.record({ namespaces: selector, services: selector });

/** Creates a selector that matches nothing and counts its evaluations. */
function counting(...traits: readonly (readonly string[])[]): {
  readonly selector: Selector;
  readonly scans: () => number;
} {
  let scans = 0;
  const count = () => {
    scans += 1;
    return false;
  };
  return { selector: Object.assign(count, { traits }), scans: () => scans };
}
const cache = { labelled: () => ({ labels: {}, isComplete: true }) };
const SERVICES = Array.from({ length: 1_000 }, (_, at) =>
  aService({ name: `s${at}`, labels: { app: `a${at}`, tier: 'front' } }),
);

/** Quotas select Services by labels for each request, so a scan of all Services would be too slow. */
describe('an index of labels', () => {
  it('finds a match exactly if a scan finds a match', () => {
    fc.assert(
      fc.property(fc.array(labelling), fc.array(selectors, { maxLength: 2 }), (all, by) => {
        assert.equal(
          new LabelIndex(all).hasOne(by),
          all.some((one) => isSelected(one, by)),
        );
      }),
    );
  });

  it('scans only the objects with the rarest required label', () => {
    const { selector: services, scans } = counting(['tier'], ['app=a1', 'app=a2'], ['tier=front']);
    new StoredLabels(cache, ['shop'], SERVICES).hasService({ namespaces: undefined, services });
    assert.equal(scans(), 2);
  });

  it('computes a repeated query once', () => {
    const { selector: services, scans } = counting();
    const labels = new StoredLabels(cache, ['shop'], SERVICES);
    const selection = { namespaces: undefined, services };
    for (let time = 0; time < 3; time += 1) labels.hasService(selection);
    assert.equal(scans(), SERVICES.length);
  });
});
