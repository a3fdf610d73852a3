import assert from 'node:assert/strict';
import type { Freshness } from '../../../src/inventory/facts.ts';
import type { FactsSaid } from '../../support/facts.ts';
import { publicAddress } from '../../../src/rules/public-address.ts';
import { foreignLoadBalancer } from '../../../src/rules/foreign-load-balancer.ts';
import { reuseAddress } from '../../../src/rules/reuse-address.ts';
import { reuseExistence } from '../../../src/rules/reuse-existence.ts';
import { reuseResourceGroup } from '../../../src/rules/reuse-resource-group.ts';
import { violationsOf, HAS_ADDRESS, on } from '../../support/found.ts';

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

describe('the detail of a violation that the inventory shows', () => {
  const AGES: readonly (readonly [freshness: Freshness, age: string])[] = [
    [{ kind: 'fresh', ageMs: 59_999 }, ''],
    [{ kind: 'stale', ageMs: 3_660_000 }, ' (the inventory is 61 minutes old; the controller checks again)'],
    [{ kind: 'absent' }, ' (the inventory has not been read; the controller checks again)'],
  ];
  for (const [freshness, age] of AGES) {
    it(`has the age of the inventory if it is ${freshness.kind}: "${age}"`, () => {
      const [violation] = violationsOf(reuseExistence, { keys: { id: 'lb-1' }, facts: { freshness } });
      assert.equal(violation?.detail, `no such load balancer in cn-hangzhou${age}`);
    });
  }

  for (const owner of ['this-cluster', 'orphan'] as const) {
    it(`is that the Service is gone that a load balancer of owner ${owner} was made for`, () => {
      const facts = { loadBalancers: { 'lb-1': { owner, service: '' } } };
      const [violation] = violationsOf(foreignLoadBalancer, { keys: { id: 'lb-1' }, facts });
      assert.match(violation?.detail ?? '', /created for a Service of this cluster that no longer exists$/);
      assert.equal(violation?.audit, undefined);
    });
  }

  it('is that a Service has its own load balancer without naming it: a warning for a stored Service', () => {
    const facts = { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web' } } } as const;
    const found = [{}, { before: {} }].map(
      (more) => violationsOf(foreignLoadBalancer, { keys: { id: 'lb-1' }, facts, ...more })[0],
    );
    assert.deepEqual(
      found.map((violation) => [violation?.remedy, violation?.advice]),
      [
        ['remove the annotation', undefined],
        ['remove the annotation', true],
      ],
    );
  });

  it('is no address of a load balancer that others have, except for the audit log', () => {
    const [violation] = violationsOf(reuseAddress, { keys: { id: 'lb-1', ip: '192.168.0.9' }, facts: SERVED });
    assert.doesNotMatch(`${violation?.detail} ${violation?.remedy}`, /47\.96/);
    assert.match(violation?.audit ?? '', /47\.96\.0\.1/);
  });
});
