import assert from 'node:assert/strict';
import { immutableAnnotation } from '../../../src/rules/immutable-annotation.ts';
import type { FactsSaid } from '../../support/facts.ts';
import { violationsOf, HAS_ADDRESS, on, type Row } from '../../support/found.ts';

const RECORDED = { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } };
const PRIVATE = [{ ip: '10.1.0.20' }] as const;
const ELASTIC = { 'external-ip-type': 'eip' };
/** The binding records the address, and the inventory is missing. A fresh inventory would show the type, or the deletion of the load balancer. */
const boundAt = (address: string): FactsSaid => ({
  bound: { id: 'lb-1', isOwned: true, address },
  freshness: { kind: 'absent' },
});
const shownAs = (addressType: 'internet' | 'intranet'): FactsSaid => ({
  loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', addressType } },
});

on(immutableAnnotation, {
  'the type of address put back, if the Service has a private address and the inventory does not show it': {
    keys: { 'address-type': 'intranet' },
    before: {},
    ingress: PRIVATE,
    finds: [],
  },
  'the public type of address, if the Service has a private address': {
    keys: { 'address-type': 'internet' },
    before: {},
    ingress: PRIVATE,
    finds: ['address-type=internet'],
  },
  'the private type of address, if the inventory shows a public load balancer': {
    keys: { 'address-type': 'intranet' },
    before: {},
    ingress: HAS_ADDRESS,
    facts: shownAs('internet'),
    finds: ['address-type=intranet'],
  },
  'the type of address put back, if the inventory shows a private load balancer with an address of a public range': {
    keys: { 'address-type': 'intranet' },
    before: {},
    ingress: HAS_ADDRESS,
    facts: shownAs('intranet'),
    finds: [],
  },
  'the type of address put back, if only the address tells the type: a VPC may have a public range': {
    keys: { 'address-type': 'intranet' },
    before: {},
    ingress: HAS_ADDRESS,
    facts: boundAt('47.96.0.1'),
    finds: ['address-type=intranet?'],
  },
  'the private type of address instead of the public one, if only the annotation tells the type': {
    keys: { 'address-type': 'intranet' },
    before: { keys: { 'address-type': 'internet' } },
    ingress: HAS_ADDRESS,
    finds: ['address-type=intranet?'],
  },
  'the public type of address instead of the private one, if only the annotation tells the type': {
    keys: { 'address-type': 'internet' },
    before: { keys: { 'address-type': 'intranet' } },
    ingress: HAS_ADDRESS,
    finds: ['address-type=internet?'],
  },
  'the public type of address instead of a wrong private one, if the inventory shows a public load balancer': {
    keys: { 'address-type': 'internet' },
    before: { keys: { 'address-type': 'intranet' } },
    ingress: HAS_ADDRESS,
    facts: shownAs('internet'),
    finds: [],
  },
  'a wrong private type of address taken off, if the inventory shows a public load balancer': {
    before: { keys: { 'address-type': 'intranet' } },
    ingress: HAS_ADDRESS,
    facts: shownAs('internet'),
    finds: [],
  },
  'the public type of address where none was written, if the Service shows a host name': {
    keys: { 'address-type': 'internet' },
    before: {},
    ingress: [{ hostname: 'web.example' }],
    finds: [],
  },
  'the type of address put back, if the binding records a private address and the Service shows an elastic address': {
    keys: { 'address-type': 'intranet', ...ELASTIC },
    before: { keys: ELASTIC },
    ingress: HAS_ADDRESS,
    facts: boundAt('10.1.0.20'),
    finds: [],
  },
  'the type of address put back, if the Service shows an elastic address and nothing else is known': {
    keys: { 'address-type': 'intranet', ...ELASTIC },
    before: { keys: ELASTIC },
    ingress: HAS_ADDRESS,
    finds: ['address-type=intranet?'],
  },
  'the type of address put back, if the Service shows a host name and nothing else is known': {
    keys: { 'address-type': 'intranet' },
    before: {},
    ingress: [{ hostname: 'web.example' }],
    finds: ['address-type=intranet?'],
  },
  'the type of address taken off a Service with a private address': {
    before: { keys: { 'address-type': 'intranet' } },
    ingress: PRIVATE,
    finds: ['address-type=?'],
  },
  'the type of address taken off a Service whose load balancer the inventory shows as private': {
    before: { keys: { 'address-type': 'intranet' } },
    metadata: RECORDED,
    ingress: [{ hostname: 'web.example' }],
    facts: shownAs('intranet'),
    finds: ['address-type=?'],
  },
  'the type of address taken off a Service that shows no address': {
    before: { keys: { 'address-type': 'intranet' } },
    ingress: [{ hostname: 'web.example' }],
    finds: ['address-type=?'],
  },
  'the public type of address taken off a Service with a public address': {
    before: { keys: { 'address-type': 'internet' } },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'the type of address taken off with the type LoadBalancer': {
    type: 'ClusterIP',
    before: { keys: { 'address-type': 'intranet' } },
    ingress: PRIVATE,
    finds: [],
  },
});

describe('an address type in doubt', () => {
  const doubted: Readonly<Record<string, { readonly row: Row; readonly says: readonly [string, string] }>> = {
    'is not said to be that of the annotation': {
      row: { keys: { 'address-type': 'internet' }, before: { keys: { 'address-type': 'intranet' } } },
      says: [
        'field is immutable: the load balancer keeps the value that it was created with',
        'undo the change unless the load balancer is internet',
      ],
    },
    'may be the default of a Service without the annotation': {
      row: { before: { keys: { 'address-type': 'intranet' } } },
      says: [
        'field is immutable: the load balancer keeps the value that it was created with',
        'undo the change unless the load balancer is internet',
      ],
    },
  };
  for (const [sentence, { row, says }] of Object.entries(doubted))
    it(sentence, () => {
      const violations = violationsOf(immutableAnnotation, { ...row, ingress: HAS_ADDRESS });
      assert.deepEqual(
        violations.map(({ detail, remedy }) => [detail, remedy]),
        [says],
      );
    });
});
