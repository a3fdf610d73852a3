import assert from 'node:assert/strict';
import { reuseAttribute } from '../../../src/rules/reuse-attribute.ts';
import { reuseIrreversible } from '../../../src/rules/reuse-irreversible.ts';
import { reuseTags } from '../../../src/rules/reuse-tags.ts';
import { violationsOf, describeViolations } from '../../support/rule-violations.ts';

const TAGGED = {
  'lb-1': {
    tags: [
      { key: 'team', value: 'shop' },
      { key: 'cost', value: '7' },
    ],
  },
} as const;

/** Tags of a shared load balancer belong to its owner. In `finds`, `?` marks a warning. */
describeViolations(reuseTags, {
  'tags of an owned load balancer': { keys: { 'additional-resource-tags': 'team=shop' }, finds: [] },
  'tags of a reused load balancer': {
    keys: { id: 'lb-1', 'additional-resource-tags': 'team=shop' },
    finds: ['additional-resource-tags=team=shop?'],
  },
  'a tag, while a Service of another namespace names the load balancer': {
    keys: { id: 'lb-1', 'additional-resource-tags': 'team=shop' },
    facts: { users: { 'lb-1': ['payments/pay'] } },
    finds: ['additional-resource-tags=team=shop'],
  },
  'tags that the load balancer has in part': {
    keys: { id: 'lb-1', 'additional-resource-tags': 'team=shop,cost=7,env=test' },
    facts: { users: { 'lb-1': ['payments/pay'] }, loadBalancers: TAGGED },
    finds: ['additional-resource-tags=env=test'],
  },
  'an added tag': {
    keys: { id: 'lb-1', 'additional-resource-tags': 'team=shop,env=test' },
    before: { keys: { id: 'lb-1', 'additional-resource-tags': 'team=shop' } },
    finds: ['additional-resource-tags=env=test?'],
  },
  'tags that were requested before': {
    keys: { id: 'lb-1', 'additional-resource-tags': 'team=shop', scheduler: 'wrr' },
    before: { keys: { id: 'lb-1', 'additional-resource-tags': 'team=shop' } },
    finds: [],
  },
  'unchanged tags with the id of another load balancer': {
    keys: { id: 'lb-2', 'additional-resource-tags': 'team=shop' },
    before: { keys: { id: 'lb-1', 'additional-resource-tags': 'team=shop' } },
    finds: ['additional-resource-tags=team=shop?'],
  },
});

describeViolations(reuseIrreversible, {
  'PayByCLCU of an owned load balancer': { keys: { 'instance-charge-type': 'PayByCLCU' }, finds: [] },
  'PayByCLCU of a reused load balancer': {
    keys: { id: 'lb-1', 'instance-charge-type': 'PayByCLCU' },
    finds: ['instance-charge-type=PayByCLCU'],
  },
  'PayBySpec of a reused load balancer': { keys: { id: 'lb-1', 'instance-charge-type': 'PayBySpec' }, finds: [] },
  'another value of an existing tag': {
    keys: { id: 'lb-1', 'additional-resource-tags': 'team=shop,cost=8' },
    facts: { loadBalancers: TAGGED },
    finds: ['additional-resource-tags=cost=8'],
  },
  'another value of an existing tag in a stale inventory': {
    keys: { id: 'lb-1', 'additional-resource-tags': 'cost=8' },
    facts: { freshness: { kind: 'stale', ageMs: 600_000 }, loadBalancers: TAGGED },
    finds: ['additional-resource-tags=cost=8'],
  },
  'tags of an unknown load balancer': { keys: { id: 'lb-1', 'additional-resource-tags': 'cost=8' }, finds: [] },
});

describe('the violation about a load balancer that a Service of another namespace uses', () => {
  it('names that Service only in the audit log', () => {
    const facts = { users: { 'lb-1': ['payments/pay'] } };
    for (const [rule, keys] of [
      [reuseAttribute, { id: 'lb-1', name: 'mine' }],
      [reuseTags, { id: 'lb-1', 'additional-resource-tags': 'team=shop' }],
    ] as const) {
      const [violation] = violationsOf(rule, { keys, facts });
      assert.doesNotMatch(`${violation?.detail} ${violation?.remedy}`, /pay/);
      assert.equal(violation?.audit, 'lb-1 is used by payments/pay');
    }
  });
});
