import assert from 'node:assert/strict';
import type { Freshness } from '../../../src/inventory/facts.ts';
import type { FactsInput } from '../../support/facts.ts';
import { publicAddress } from '../../../src/rules/public-address.ts';
import { foreignLoadBalancer } from '../../../src/rules/foreign-load-balancer.ts';
import { reuseAddress } from '../../../src/rules/reuse-address.ts';
import { reuseExistence } from '../../../src/rules/reuse-existence.ts';
import { reuseResourceGroup } from '../../../src/rules/reuse-resource-group.ts';
import { violationsOf, HAS_ADDRESS, describeViolations } from '../../support/rule-violations.ts';

const OVERRIDE = { id: 'lb-1', 'force-override-listeners': 'true' };
const SERVED = { loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'tcp' }] } } } as const;
const MINE = {
  loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'tcp', service: 'shop/web' }] } },
} as const;

/** A reused load balancer must exist and suit the Service, or the Service gets no address. */
describeViolations(reuseAddress, {
  'the address of the load balancer': {
    keys: { id: 'lb-1', ip: '47.96.0.1' },
    facts: SERVED,
    finds: [],
  },
  'another address': { keys: { id: 'lb-1', ip: '192.168.0.9' }, facts: SERVED, finds: ['ip=192.168.0.9'] },
  'another address version, and another address type': {
    keys: { id: 'lb-1', 'ip-version': 'ipv6', 'address-type': 'intranet' },
    facts: SERVED,
    finds: ['address-type=intranet', 'ip-version=ipv6'],
  },
  'a Service without annotations for address type and address version': {
    keys: { id: 'lb-1' },
    facts: { loadBalancers: { 'lb-1': { ipVersion: 'ipv6' } } },
    finds: [],
  },
});

const PUBLIC: FactsInput = { cluster: { disablePublicSLB: true }, loadBalancers: { 'lb-1': {} } };
describeViolations(publicAddress, {
  'a reused load balancer on the internet in a cluster without public load balancers': {
    keys: { id: 'lb-1' },
    facts: PUBLIC,
    finds: ['id=lb-1'],
  },
  'a reused load balancer on the internet with a wrong address type': {
    keys: { id: 'lb-1', 'address-type': 'intranet' },
    facts: PUBLIC,
    finds: ['id=lb-1'],
  },
  'a reused load balancer on the internet that already serves the Service': {
    keys: { id: 'lb-1' },
    ingress: HAS_ADDRESS,
    facts: PUBLIC,
    finds: [],
  },
  'a reused load balancer on the internet with an existing listener of the Service': {
    keys: OVERRIDE,
    facts: { ...PUBLIC, ...MINE },
    finds: [],
  },
  'a reused load balancer on the internet, without force-override-listeners': {
    keys: { id: 'lb-1' },
    facts: { ...PUBLIC, ...MINE },
    finds: ['id=lb-1'],
  },
  'a reused private load balancer': {
    keys: { id: 'lb-1' },
    facts: { ...PUBLIC, loadBalancers: { 'lb-1': { addressType: 'intranet' } } },
    finds: [],
  },
  'a foreign load balancer, which another rule reports': {
    keys: { id: 'lb-1' },
    facts: { ...PUBLIC, loadBalancers: { 'lb-1': { owner: 'other-cluster' } } },
    finds: [],
  },
  'an unknown load balancer': { keys: { id: 'lb-2' }, facts: PUBLIC, finds: [] },
  'a new load balancer': { facts: PUBLIC, finds: ['address-type='] },
  'a new private load balancer': { keys: { 'address-type': 'intranet' }, facts: PUBLIC, finds: [] },
  'a load balancer on the internet in a cluster with public load balancers': {
    keys: { id: 'lb-1' },
    facts: { loadBalancers: { 'lb-1': {} } },
    finds: [],
  },
});

describeViolations(reuseResourceGroup, {
  'a requested resource group, if the inventory has an empty resource group': {
    keys: { id: 'lb-1', 'resource-group-id': 'rg-a' },
    facts: { loadBalancers: { 'lb-1': { resourceGroupId: '' } } },
    finds: [],
  },
});

describe('the detail of a violation from the inventory', () => {
  const AGES: readonly (readonly [freshness: Freshness, age: string])[] = [
    [{ kind: 'fresh', ageMs: 59_999 }, ''],
    [{ kind: 'stale', ageMs: 3_660_000 }, ' (the inventory is 61 minutes old; the controller checks again)'],
    [{ kind: 'absent' }, ' (the inventory has not been read; the controller checks again)'],
  ];
  for (const [freshness, age] of AGES) {
    it(`ends with "${age}" if the inventory is ${freshness.kind}`, () => {
      const [violation] = violationsOf(reuseExistence, { keys: { id: 'lb-1' }, facts: { freshness } });
      assert.equal(violation?.detail, `no such load balancer in cn-hangzhou${age}`);
    });
  }

  for (const owner of ['this-cluster', 'orphan'] as const) {
    it(`reports the deleted Service of a load balancer with the owner ${owner}`, () => {
      const facts = { loadBalancers: { 'lb-1': { owner, service: '' } } };
      const [violation] = violationsOf(foreignLoadBalancer, { keys: { id: 'lb-1' }, facts });
      assert.match(violation?.detail ?? '', /created for a Service of this cluster that no longer exists$/);
      assert.equal(violation?.audit, undefined);
    });
  }

  it('has the remedy to remove the annotation if it names an owned load balancer', () => {
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

  it('contains the address of a foreign load balancer only in the audit log', () => {
    const [violation] = violationsOf(reuseAddress, { keys: { id: 'lb-1', ip: '192.168.0.9' }, facts: SERVED });
    assert.doesNotMatch(`${violation?.detail} ${violation?.remedy}`, /47\.96/);
    assert.match(violation?.audit ?? '', /47\.96\.0\.1/);
  });
});
