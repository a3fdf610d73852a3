import assert from 'node:assert/strict';
import { equalWeight, podWeight, type Weighting } from '../../../../src/clb/desired/weights.ts';

const count = (weight = 100): Weighting => ({ kind: 'count', weight });
const share = (total: number): Weighting => ({ kind: 'share', total });

/** The cloud distributes traffic by weights. A wrong weight overloads some pods, and the weight 0 stops the traffic. */
describe('the weight', () => {
  const cases: Record<string, [actual: number, expected: number]> = {
    'of a server is 100 in Cluster mode': [equalWeight(count(), 4), 100],
    'of a server is the default weight in Cluster mode': [equalWeight(count(50), 4), 50],
    'of a server is 0 with the default weight 0': [equalWeight(count(0), 4), 0],
    'of a server is a quarter of the share 60 among four servers': [equalWeight(share(60), 4), 15],
    'of a server is at least 1 with a share above 0': [equalWeight(share(3), 4), 1],
    'of a server is 0 with the share 0': [equalWeight(share(0), 4), 0],
    'of a server is the number of its pods in Local mode': [podWeight(count(), 3, 6), 3],
    'of a server with more than 100 pods is 100, the maximum of the cloud': [podWeight(count(), 120, 120), 100],
    'of a server with three of six pods is half of the share 60': [podWeight(share(60), 3, 6), 30],
    'of a server with one of six pods is at least 1 of the share 4': [podWeight(share(4), 1, 6), 1],
    'of a server with pods is 0 with the share 0': [podWeight(share(0), 3, 6), 0],
  };
  for (const [title, [actual, expected]] of Object.entries(cases)) {
    it(title, () => assert.equal(actual, expected));
  }
});
