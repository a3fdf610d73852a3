import { immutableAnnotation } from '../../../../webhook/rules/immutable-annotation.ts';
import type { FactsSaid } from '../../../support/facts.ts';
import { HAS_ADDRESS, on } from '../../../support/found.ts';

const RECORDED = { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } };
const PRIVATE = [{ ip: '10.1.0.20' }] as const;
const ELASTIC = { 'external-ip-type': 'eip' };
const boundAt = (address: string): FactsSaid => ({ bound: { id: 'lb-1', isOwned: true, address } });
const INTRANET = {
  loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', addressType: 'intranet' } },
} as const;

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
  'the private type of address, if the Service has a public address': {
    keys: { 'address-type': 'intranet' },
    before: {},
    ingress: HAS_ADDRESS,
    facts: boundAt('47.96.0.1'),
    finds: ['address-type=intranet'],
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
    facts: INTRANET,
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
