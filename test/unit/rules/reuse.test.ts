import assert from 'node:assert/strict';
import type { FactsSaid } from '../../support/facts.ts';
import { publicAddress } from '../../../src/rules/public-address.ts';
import { foreignLoadBalancer } from '../../../src/rules/foreign-load-balancer.ts';
import { reuseAddress } from '../../../src/rules/reuse-address.ts';
import { reuseExistence } from '../../../src/rules/reuse-existence.ts';
import { reuseResourceGroup } from '../../../src/rules/reuse-resource-group.ts';
import { faultsOf, HAS_ADDRESS, on, type Row } from '../../support/found.ts';

const OVERRIDE = { id: 'lb-1', 'force-override-listeners': 'true' };
const SERVED = { loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'tcp' }] } } } as const;
const MINE = {
  loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'tcp', service: 'shop/web' }] } },
} as const;

on(reuseAddress, {
  'the address that it has': {
    keys: { id: 'lb-1', ip: '47.96.0.1' },
    facts: SERVED,
    finds: [],
  },
  'another address': { keys: { id: 'lb-1', ip: '192.168.0.9' }, facts: SERVED, finds: ['ip=192.168.0.9'] },
  'another version, and another type': {
    keys: { id: 'lb-1', 'ip-version': 'ipv6', 'address-type': 'intranet' },
    facts: SERVED,
    finds: ['address-type=intranet', 'ip-version=ipv6'],
  },
  'nothing said of either': {
    keys: { id: 'lb-1' },
    facts: { loadBalancers: { 'lb-1': { ipVersion: 'ipv6' } } },
    finds: [],
  },
});

const PUBLIC: FactsSaid = { cluster: { disablePublicSLB: true }, loadBalancers: { 'lb-1': {} } };
on(publicAddress, {
  'one on the internet that is reused, where none is allowed': {
    keys: { id: 'lb-1' },
    facts: PUBLIC,
    finds: ['id=lb-1'],
  },
  'the same beside the type that it does not have': {
    keys: { id: 'lb-1', 'address-type': 'intranet' },
    facts: PUBLIC,
    finds: ['id=lb-1'],
  },
  'one on the internet by which the Service is reached already': {
    keys: { id: 'lb-1' },
    ingress: HAS_ADDRESS,
    facts: PUBLIC,
    finds: [],
  },
  'one on the internet where a listener of the Service is there already': {
    keys: OVERRIDE,
    facts: { ...PUBLIC, ...MINE },
    finds: [],
  },
  'the same where listeners are left to people': {
    keys: { id: 'lb-1' },
    facts: { ...PUBLIC, ...MINE },
    finds: ['id=lb-1'],
  },
  'a private one that is reused': {
    keys: { id: 'lb-1' },
    facts: { ...PUBLIC, loadBalancers: { 'lb-1': { addressType: 'intranet' } } },
    finds: [],
  },
  'one of somebody else, of which another rule tells': {
    keys: { id: 'lb-1' },
    facts: { ...PUBLIC, loadBalancers: { 'lb-1': { owner: 'other-cluster' } } },
    finds: [],
  },
  'one of which nothing is known': { keys: { id: 'lb-2' }, facts: PUBLIC, finds: [] },
  'a new one': { facts: PUBLIC, finds: ['address-type='] },
  'a new one that is private': { keys: { 'address-type': 'intranet' }, facts: PUBLIC, finds: [] },
  'one on the internet where they are allowed': {
    keys: { id: 'lb-1' },
    facts: { loadBalancers: { 'lb-1': {} } },
    finds: [],
  },
});

on(reuseResourceGroup, {
  'a group that the inventory does not know': {
    keys: { id: 'lb-1', 'resource-group-id': 'rg-a' },
    facts: { loadBalancers: { 'lb-1': { resourceGroupId: '' } } },
    finds: [],
  },
});

describe('what a denial says of its facts', () => {
  const MINUTE = 60_000;
  const AGES: readonly (readonly [ageMs: number, said: string])[] = [
    [59_999, 'seen less than a minute ago'],
    [MINUTE, 'seen less than 5 minutes ago'],
    [5 * MINUTE, 'seen less than an hour ago'],
    [60 * MINUTE, 'seen less than a day ago'],
    [24 * 60 * MINUTE, 'seen more than a day ago'],
  ];
  const row = (ageMs: number): Row => ({
    keys: { id: 'lb-1' },
    facts: { freshness: { kind: 'stale', ageMs }, loadBalancers: { 'lb-1': { owner: 'other-cluster' } } },
  });
  for (const [ageMs, said] of AGES) {
    it(`is how old they are: ${said}`, () => {
      const [fault] = faultsOf(foreignLoadBalancer, row(ageMs));
      assert.match(fault?.allowed ?? '', new RegExp(`\\(${said}\\)$`));
    });
  }

  it('is nothing where that is not known', () => {
    const facts = { freshness: { kind: 'absent' }, loadBalancers: { 'lb-1': { owner: 'other-cluster' } } } as const;
    assert.doesNotMatch(faultsOf(foreignLoadBalancer, { keys: { id: 'lb-1' }, facts })[0]?.allowed ?? '', /seen/);
  });

  it('is the same for minutes', () => {
    const [first, second] = [61_000, 299_000].map((ageMs) =>
      faultsOf(reuseExistence, { keys: { id: 'lb-1' }, facts: { freshness: { kind: 'fresh', ageMs } } }),
    );
    assert.deepEqual(first, second);
  });

  for (const owner of ['this-cluster', 'orphan'] as const) {
    it(`is that the Service is gone that a load balancer of owner ${owner} was made for`, () => {
      const facts = { loadBalancers: { 'lb-1': { owner, service: '' } } };
      const [fault] = faultsOf(foreignLoadBalancer, { keys: { id: 'lb-1' }, facts });
      assert.match(fault?.allowed ?? '', /made for a Service of this cluster that is gone/);
      assert.equal(fault?.audit, undefined);
    });
  }

  it('is that a Service has its own load balancer without naming it: a warning for a stored Service', () => {
    const facts = { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web' } } } as const;
    const found = [{}, { before: {} }].map(
      (more) => faultsOf(foreignLoadBalancer, { keys: { id: 'lb-1' }, facts, ...more })[0],
    );
    const fix = 'remove the annotation: the Service keeps this load balancer';
    assert.deepEqual(
      found.map((fault) => [fault?.fix, fault?.advice]),
      [
        [fix, undefined],
        [fix, true],
      ],
    );
  });

  it('is no address of a load balancer that others have, except for the audit log', () => {
    const [fault] = faultsOf(reuseAddress, { keys: { id: 'lb-1', ip: '192.168.0.9' }, facts: SERVED });
    assert.doesNotMatch(`${fault?.allowed} ${fault?.fix}`, /47\.96/);
    assert.match(fault?.audit ?? '', /47\.96\.0\.1/);
  });
});
