import assert from 'node:assert/strict';
import { Ranges } from '../../../src/route/range-map.ts';
import { range } from '../../support/cidr.ts';

/** Overlapping ranges would send the traffic of one Node to another Node. */
describe('a set of ranges', () => {
  const ranges = new Ranges<string>();
  for (const text of ['172.20.1.0/24', '172.20.2.0/24', '172.21.0.0/16', 'fd00:0:0:1::/64'])
    ranges.add(range(text), text);
  const cases: Record<string, [text: string, found: string | undefined]> = {
    'finds an equal range': ['172.20.1.0/24', '172.20.1.0/24'],
    'finds a range that contains the query': ['172.21.3.0/24', '172.21.0.0/16'],
    'finds a range inside the query': ['172.20.2.0/23', '172.20.2.0/24'],
    'finds no neighbor': ['172.20.3.0/24', undefined],
    'finds no range of the other family': ['fd00:0:0:2::/64', undefined],
    'finds IPv6 ranges': ['fd00::/48', 'fd00:0:0:1::/64'],
  };
  for (const [title, [text, found]] of Object.entries(cases)) {
    it(title, () => assert.equal(ranges.overlapping(range(text)), found));
  }
  it('keeps the first of two equal ranges', () => {
    ranges.add(range('172.20.1.0/24'), 'later');
    assert.equal(ranges.get(range('172.20.1.0/24')), '172.20.1.0/24');
  });
});
