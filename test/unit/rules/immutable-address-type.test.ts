import assert from 'node:assert/strict';
import { immutableAnnotation } from '../../../src/rules/immutable-annotation.ts';
import type { FactsInput } from '../../support/facts.ts';
import { violationsOf, HAS_ADDRESS, describeViolations, type Row } from '../../support/rule-violations.ts';

const RECORDED = { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } };
const PRIVATE = [{ ip: '10.1.0.20' }] as const;
const ELASTIC = { 'external-ip-type': 'eip' };
/** Facts with the address in the binding alone, because a fresh inventory would show the type, or the deletion of the load balancer. */
const boundAt = (address: string): FactsInput => ({
  bound: { id: 'lb-1', isOwned: true, address },
  freshness: { kind: 'absent' },
});
const shownAs = (addressType: 'internet' | 'intranet'): FactsInput => ({
  loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', addressType } },
});

/** The cloud cannot change the address type, so the change would never be applied. In `finds`, `?` marks a warning. */
describeViolations(immutableAnnotation, {
  'a restored address type, with a private address and no load balancer in the inventory': {
    keys: { 'address-type': 'intranet' },
    before: {},
    ingress: PRIVATE,
    finds: [],
  },
  'the public address type, with a private address': {
    keys: { 'address-type': 'internet' },
    before: {},
    ingress: PRIVATE,
    finds: ['address-type=internet'],
  },
  'the private address type, with a public load balancer in the inventory': {
    keys: { 'address-type': 'intranet' },
    before: {},
    ingress: HAS_ADDRESS,
    facts: shownAs('internet'),
    finds: ['address-type=intranet'],
  },
  'a restored address type, with a private load balancer with an address in a public range': {
    keys: { 'address-type': 'intranet' },
    before: {},
    ingress: HAS_ADDRESS,
    facts: shownAs('intranet'),
    finds: [],
  },
  'a restored address type, with only the address as evidence: a VPC can have a public range': {
    keys: { 'address-type': 'intranet' },
    before: {},
    ingress: HAS_ADDRESS,
    facts: boundAt('47.96.0.1'),
    finds: ['address-type=intranet?'],
  },
  'the private address type instead of the public, with only the annotation as evidence': {
    keys: { 'address-type': 'intranet' },
    before: { keys: { 'address-type': 'internet' } },
    ingress: HAS_ADDRESS,
    finds: ['address-type=intranet?'],
  },
  'the public address type instead of the private, with only the annotation as evidence': {
    keys: { 'address-type': 'internet' },
    before: { keys: { 'address-type': 'intranet' } },
    ingress: HAS_ADDRESS,
    finds: ['address-type=internet?'],
  },
  'the public instead of the private type, with a public load balancer in the inventory': {
    keys: { 'address-type': 'internet' },
    before: { keys: { 'address-type': 'intranet' } },
    ingress: HAS_ADDRESS,
    facts: shownAs('internet'),
    finds: [],
  },
  'a removed wrong private address type, with a public load balancer in the inventory': {
    before: { keys: { 'address-type': 'intranet' } },
    ingress: HAS_ADDRESS,
    facts: shownAs('internet'),
    finds: [],
  },
  'an added public address type, with a host name in the status': {
    keys: { 'address-type': 'internet' },
    before: {},
    ingress: [{ hostname: 'web.example' }],
    finds: [],
  },
  'a restored address type, with a private address in the binding and an elastic address': {
    keys: { 'address-type': 'intranet', ...ELASTIC },
    before: { keys: ELASTIC },
    ingress: HAS_ADDRESS,
    facts: boundAt('10.1.0.20'),
    finds: [],
  },
  'a restored address type, with an elastic address in the status and no other evidence': {
    keys: { 'address-type': 'intranet', ...ELASTIC },
    before: { keys: ELASTIC },
    ingress: HAS_ADDRESS,
    finds: ['address-type=intranet?'],
  },
  'a restored address type, with a host name in the status and no other evidence': {
    keys: { 'address-type': 'intranet' },
    before: {},
    ingress: [{ hostname: 'web.example' }],
    finds: ['address-type=intranet?'],
  },
  'a removed address type, with a private address': {
    before: { keys: { 'address-type': 'intranet' } },
    ingress: PRIVATE,
    finds: ['address-type=?'],
  },
  'a removed address type, with a private load balancer in the inventory': {
    before: { keys: { 'address-type': 'intranet' } },
    metadata: RECORDED,
    ingress: [{ hostname: 'web.example' }],
    facts: shownAs('intranet'),
    finds: ['address-type=?'],
  },
  'a removed address type, with a host name in the status and no other evidence': {
    before: { keys: { 'address-type': 'intranet' } },
    ingress: [{ hostname: 'web.example' }],
    finds: ['address-type=?'],
  },
  'a removed public address type, with a public address': {
    before: { keys: { 'address-type': 'internet' } },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'an address type that is removed together with the type LoadBalancer': {
    type: 'ClusterIP',
    before: { keys: { 'address-type': 'intranet' } },
    ingress: PRIVATE,
    finds: [],
  },
});

/** If no evidence shows the address type of a load balancer, the message must not present the stored annotation as fact. */
describe('a violation about an unknown address type', () => {
  const rows: Readonly<Record<string, { readonly row: Row; readonly details: readonly [string, string] }>> = {
    'does not claim the stored value if the annotation changes': {
      row: { keys: { 'address-type': 'internet' }, before: { keys: { 'address-type': 'intranet' } } },
      details: [
        'field is immutable: the load balancer keeps the value that it was created with',
        'undo the change unless the load balancer is internet',
      ],
    },
    'does not claim the stored value if the annotation is removed': {
      row: { before: { keys: { 'address-type': 'intranet' } } },
      details: [
        'field is immutable: the load balancer keeps the value that it was created with',
        'undo the change unless the load balancer is internet',
      ],
    },
  };
  for (const [title, { row, details }] of Object.entries(rows))
    it(title, () => {
      const violations = violationsOf(immutableAnnotation, { ...row, ingress: HAS_ADDRESS });
      assert.deepEqual(
        violations.map(({ detail, remedy }) => [detail, remedy]),
        [details],
      );
    });
});
