import assert from 'node:assert/strict';
import { covers, isStrictlyInside, liesInOneOf, parseCidr } from '../../../src/node/cidr.ts';
import { range } from '../../support/cidr.ts';

/** A wrong comparison of ranges would create a route over a vSwitch, or reject a valid route. */
describe('a range', () => {
  const cases: Record<string, [text: string, read: string | undefined]> = {
    'of IPv4 is valid': ['10.0.0.0/8', '10.0.0.0/8'],
    'with bits after its prefix is read without them': ['172.20.3.7/24', '172.20.3.0/24'],
    'of all addresses is valid': ['0.0.0.0/0', '0.0.0.0/0'],
    'of a single address is valid': ['10.0.0.1/32', '10.0.0.1/32'],
    'of IPv6 is printed in its shortest form': ['FD00:0:0:1:0:0:0:0/64', 'fd00:0:0:1::/64'],
    'of IPv6 with an IPv4 suffix is invalid': ['::ffff:10.0.0.1/128', undefined],
    'of IPv6 without zeros is valid': ['1:2:3:4:5:6:7:8/128', '1:2:3:4:5:6:7:8/128'],
    'of all IPv6 addresses is valid': ['::/0', '::/0'],
    'without a prefix is invalid': ['10.0.0.0', undefined],
    'with too long a prefix is invalid': ['10.0.0.0/33', undefined],
    'with a zone is invalid': ['fe80::1%eth0/64', undefined],
    'of words is invalid': ['pods/24', undefined],
    'of an empty text is invalid': ['', undefined],
  };
  for (const [title, [text, read]] of Object.entries(cases)) {
    it(title, () => assert.equal(parseCidr(text)?.text, read));
  }
});

describe('the larger of two ranges', () => {
  const cases: Record<string, [outer: string, inner: string, covered: boolean, strictly: boolean]> = {
    'covers the smaller': ['172.20.0.0/16', '172.20.3.0/24', true, true],
    'covers itself': ['172.20.0.0/16', '172.20.0.0/16', true, false],
    'is not covered by the smaller': ['172.20.3.0/24', '172.20.0.0/16', false, false],
    'does not cover a neighbor': ['172.20.0.0/17', '172.20.128.0/24', false, false],
    'covers all of its family if it covers all addresses': ['0.0.0.0/0', '172.20.0.0/16', true, true],
    'does not cover the other family': ['::/0', '10.0.0.0/8', false, false],
    'covers the smaller for IPv6 too': ['fd00::/48', 'fd00:0:0:1::/64', true, true],
  };
  for (const [title, [outer, inner, covered, strictly]] of Object.entries(cases)) {
    it(title, () => {
      assert.equal(covers(range(outer), range(inner)), covered);
      assert.equal(isStrictlyInside(range(inner), range(outer)), strictly);
    });
  }
});

type Row = readonly [range: string, of: readonly string[], lies: boolean | undefined];

const ROWS: Record<string, Row> = {
  'contain a part of themselves': ['10.0.7.0/24', ['10.0.0.0/16'], true],
  'contain themselves': ['10.0.0.0/16', ['10.0.0.0/16'], true],
  'do not contain a wider range': ['10.0.0.0/8', ['10.0.0.0/16'], false],
  'do not contain a neighbor': ['10.1.0.0/24', ['10.0.0.0/16'], false],
  'whose prefix ends within an octet contain their last part': ['172.20.31.0/24', ['172.20.16.0/20'], true],
  'whose prefix ends within an octet do not contain the next range': ['172.20.32.0/24', ['172.20.16.0/20'], false],
  'of all addresses contain every range': ['203.0.113.0/24', ['0.0.0.0/0'], true],
  'contain a range if any of them does': ['10.9.1.0/24', ['10.0.0.0/16', '10.9.0.0/16'], true],
  'ignore host bits': ['10.0.7.9/24', ['10.0.0.1/16'], true],
  'of IPv6 contain IPv6': ['fd00:1:2::/64', ['fd00:1::/32'], true],
  'of IPv6 do not contain other IPv6': ['fd00:2::/64', ['fd00:1::/32'], false],
  'of IPv6 can be written in full': ['fd00:0001:0:0:0:0:0:0/64', ['FD00:1::/32'], true],
  'of IPv6 contain their last address': ['::1/128', ['::/0'], true],
  'do not match another family': ['fd00::/64', ['10.0.0.0/16'], undefined],
  'do not match an address without a prefix length': ['10.0.7.0', ['10.0.0.0/16'], undefined],
  'do not match a prefix that is too long': ['10.0.7.0/33', ['10.0.0.0/16'], undefined],
  'do not match two slashes': ['10.0.7.0/24/24', ['10.0.0.0/16'], undefined],
  'do not match IPv6 with two gaps': ['fd00::1::/64', ['fd00::/16'], undefined],
  'do not match IPv6 with too few groups': ['fd00:1/64', ['fd00::/16'], undefined],
  'do not match IPv6 with too many groups': ['1:2:3:4:5:6:7:8::/64', ['::/0'], undefined],
  'do not match words': ['pods/24', ['10.0.0.0/16'], undefined],
  'with invalid syntax contain nothing': ['10.0.7.0/24', ['everywhere'], undefined],
};

describe('ranges of addresses', () => {
  for (const [title, [range, of, lies]] of Object.entries(ROWS)) {
    it(title, () => assert.equal(liesInOneOf(range, of), lies));
  }
});
