import assert from 'node:assert/strict';
import { covers, isStrictlyInside, parseCidr } from '../../../src/route/cidr.ts';
import { Ranges } from '../../../src/route/ranges.ts';
import { range } from '../../support/range.ts';

describe('a range', () => {
  const cases: Record<string, [text: string, read: string | undefined]> = {
    'of IPv4': ['10.0.0.0/8', '10.0.0.0/8'],
    'with bits behind its prefix is read without them': ['172.20.3.7/24', '172.20.3.0/24'],
    'of everything': ['0.0.0.0/0', '0.0.0.0/0'],
    'of one address': ['10.0.0.1/32', '10.0.0.1/32'],
    'of IPv6 is spelt shortest': ['FD00:0:0:1:0:0:0:0/64', 'fd00:0:0:1::/64'],
    'of IPv6 with an ending of IPv4': ['::ffff:10.0.0.1/128', '::ffff:a00:1/128'],
    'of IPv6, without any zeros to leave out': ['1:2:3:4:5:6:7:8/128', '1:2:3:4:5:6:7:8/128'],
    'of all of IPv6': ['::/0', '::/0'],
    'without a prefix is none': ['10.0.0.0', undefined],
    'with too long a prefix is none': ['10.0.0.0/33', undefined],
    'with a zone is none': ['fe80::1%eth0/64', undefined],
    'of words is none': ['pods/24', undefined],
    'of nothing is none': ['', undefined],
  };
  for (const [sentence, [text, read]] of Object.entries(cases)) {
    it(sentence, () => assert.equal(parseCidr(text)?.text, read));
  }
});

describe('of two ranges', () => {
  const cases: Record<string, [outer: string, inner: string, covered: boolean, strictly: boolean]> = {
    'the larger covers the smaller': ['172.20.0.0/16', '172.20.3.0/24', true, true],
    'the same covers itself': ['172.20.0.0/16', '172.20.0.0/16', true, false],
    'the smaller does not cover the larger': ['172.20.3.0/24', '172.20.0.0/16', false, false],
    'neighbours do not cover each other': ['172.20.0.0/17', '172.20.128.0/24', false, false],
    'everything covers all of its family': ['0.0.0.0/0', '172.20.0.0/16', true, true],
    'families do not mix': ['::/0', '10.0.0.0/8', false, false],
    'the same goes for IPv6': ['fd00::/48', 'fd00:0:0:1::/64', true, true],
  };
  for (const [sentence, [outer, inner, covered, strictly]] of Object.entries(cases)) {
    it(sentence, () => {
      assert.equal(covers(range(outer), range(inner)), covered);
      assert.equal(isStrictlyInside(range(inner), range(outer)), strictly);
    });
  }
});

describe('a set of ranges', () => {
  const ranges = new Ranges<string>();
  for (const text of ['172.20.1.0/24', '172.20.2.0/24', '172.21.0.0/16', 'fd00:0:0:1::/64'])
    ranges.add(range(text), text);
  const cases: Record<string, [text: string, found: string | undefined]> = {
    'finds the same': ['172.20.1.0/24', '172.20.1.0/24'],
    'finds one that contains it': ['172.21.3.0/24', '172.21.0.0/16'],
    'finds one that lies in it': ['172.20.2.0/23', '172.20.2.0/24'],
    'finds none beside': ['172.20.3.0/24', undefined],
    'finds none of the other family': ['fd00:0:0:2::/64', undefined],
    'finds those of IPv6': ['fd00::/48', 'fd00:0:0:1::/64'],
  };
  for (const [sentence, [text, found]] of Object.entries(cases)) {
    it(sentence, () => assert.equal(ranges.overlapping(range(text)), found));
  }
  it('keeps the first of two that are the same', () => {
    ranges.add(range('172.20.1.0/24'), 'later');
    assert.equal(ranges.get(range('172.20.1.0/24')), '172.20.1.0/24');
  });
});
