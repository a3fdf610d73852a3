import assert from 'node:assert/strict';
import { equalWeight, podWeight, type Weighting } from '../../../../src/clb/desired/weights.ts';

const count = (weight = 100): Weighting => ({ kind: 'count', weight });
const share = (total: number): Weighting => ({ kind: 'share', total });

describe('weights', () => {
  const cases: Record<string, [actual: number, expected: number]> = {
    'a server counts 100 in Cluster mode': [equalWeight(count(), 4), 100],
    'a server counts the default weight in Cluster mode': [equalWeight(count(50), 4), 50],
    'a default weight of 0 drains': [equalWeight(count(0), 4), 0],
    'four servers share 60': [equalWeight(share(60), 4), 15],
    'a share is at least 1': [equalWeight(share(3), 4), 1],
    'a share of 0 drains': [equalWeight(share(0), 4), 0],
    'a server counts its pods in Local mode': [podWeight(count(), 3, 6), 3],
    'more than 100 pods count 100, the most that the cloud takes': [podWeight(count(), 120, 120), 100],
    'three of six pods get half of 60': [podWeight(share(60), 3, 6), 30],
    'one of six pods gets at least 1 of 4': [podWeight(share(4), 1, 6), 1],
    'no pod gets anything of 0': [podWeight(share(0), 3, 6), 0],
  };
  for (const [sentence, [actual, expected]] of Object.entries(cases)) {
    it(sentence, () => assert.equal(actual, expected));
  }
});
