import assert from 'node:assert/strict';
import { covers, isStrictlyInside, liesInOneOf, parseCidr } from '../../../src/node/cidr.ts';
import { range } from '../../support/range.ts';

describe('a range', () => {
  const cases: Record<string, [text: string, read: string | undefined]> = {
    'of IPv4': ['10.0.0.0/8', '10.0.0.0/8'],
    'with bits behind its prefix is read without them': ['172.20.3.7/24', '172.20.3.0/24'],
    'of everything': ['0.0.0.0/0', '0.0.0.0/0'],
    'of one address': ['10.0.0.1/32', '10.0.0.1/32'],
    'of IPv6 is spelt shortest': ['FD00:0:0:1:0:0:0:0/64', 'fd00:0:0:1::/64'],
    'of IPv6 with an ending of IPv4 is none, as nobody allocates such': ['::ffff:10.0.0.1/128', undefined],
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

type Row = readonly [range: string, of: readonly string[], lies: boolean | undefined];

const ROWS: Record<string, Row> = {
  'a part of a range lies in it': ['10.0.7.0/24', ['10.0.0.0/16'], true],
  'a range lies in itself': ['10.0.0.0/16', ['10.0.0.0/16'], true],
  'a wider range does not lie in a narrower one': ['10.0.0.0/8', ['10.0.0.0/16'], false],
  'a neighbour does not lie in a range': ['10.1.0.0/24', ['10.0.0.0/16'], false],
  'a range ends within an octet': ['172.20.31.0/24', ['172.20.16.0/20'], true],
  'and not behind it': ['172.20.32.0/24', ['172.20.16.0/20'], false],
  'every range lies in all addresses': ['203.0.113.0/24', ['0.0.0.0/0'], true],
  'one of several is enough': ['10.9.1.0/24', ['10.0.0.0/16', '10.9.0.0/16'], true],
  'an address of the host does not matter': ['10.0.7.9/24', ['10.0.0.1/16'], true],
  'IPv6 lies in IPv6': ['fd00:1:2::/64', ['fd00:1::/32'], true],
  'IPv6 beside IPv6': ['fd00:2::/64', ['fd00:1::/32'], false],
  'IPv6 written out': ['fd00:0001:0:0:0:0:0:0/64', ['FD00:1::/32'], true],
  'the end of IPv6': ['::1/128', ['::/0'], true],
  'of another family nothing is known': ['fd00::/64', ['10.0.0.0/16'], undefined],
  'of no range nothing is known': ['10.0.7.0', ['10.0.0.0/16'], undefined],
  'of a prefix that is too long nothing is known': ['10.0.7.0/33', ['10.0.0.0/16'], undefined],
  'of two slashes nothing is known': ['10.0.7.0/24/24', ['10.0.0.0/16'], undefined],
  'of IPv6 with two gaps nothing is known': ['fd00::1::/64', ['fd00::/16'], undefined],
  'of IPv6 with too few groups nothing is known': ['fd00:1/64', ['fd00::/16'], undefined],
  'of IPv6 with too many groups nothing is known': ['1:2:3:4:5:6:7:8::/64', ['::/0'], undefined],
  'of words nothing is known': ['pods/24', ['10.0.0.0/16'], undefined],
  'in ranges that are none nothing lies': ['10.0.7.0/24', ['everywhere'], undefined],
};

describe('ranges of addresses', () => {
  for (const [sentence, [range, of, lies]] of Object.entries(ROWS)) {
    it(sentence, () => assert.equal(liesInOneOf(range, of), lies));
  }
});
