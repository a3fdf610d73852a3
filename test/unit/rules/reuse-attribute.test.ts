import { reuseAttribute } from '../../../src/rules/reuse-attribute.ts';
import { describeRule, type RuleRow } from '../../support/rule-rows.ts';

const ID = { id: 'lb-1' };

const OUTSIDE = { users: { 'lb-1': ['payments/pay'] } };
const LISTENING = {
  loadBalancers: { 'lb-1': { listeners: [{ port: 443, protocol: 'tcp', service: 'payments/pay' }] } },
} as const;
const CHARGED = { id: 'lb-1', 'instance-charge-type': 'PayByCLCU' };

/** Services share a user-managed load balancer, so not every annotation may change it. In `finds`, `?` marks a warning. */
describeRule(reuseAttribute, {
  'a name, while a Service of another namespace names the load balancer': {
    keys: { ...ID, name: 'shop' },
    facts: OUTSIDE,
    finds: ['name=shop'],
  },
  'attributes of the charge, while a Service of another namespace has a listener there': {
    keys: { ...ID, spec: 'slb.s2.small', bandwidth: '1', 'charge-type': 'paybybandwidth' },
    facts: LISTENING,
    finds: ['spec=slb.s2.small', 'charge-type=paybybandwidth', 'bandwidth=1'],
  },
  'a name, while other Services of the own namespace name the load balancer': {
    keys: { ...ID, name: 'shop' },
    facts: { users: { 'lb-1': ['shop/api', 'shop/web'] } },
    finds: ['name=shop?'],
  },
  'a stored name, while a Service of another namespace names the load balancer': {
    was: { ...ID, name: 'shop' },
    keys: { ...ID, name: 'shop' },
    facts: OUTSIDE,
    finds: ['name=shop'],
  },
  'a name, while the load balancer is not user-managed': {
    keys: { ...ID, name: 'shop' },
    facts: { ...OUTSIDE, loadBalancers: { 'lb-1': { owner: 'other-cluster' } } },
    finds: [],
  },
  'a change that another rule denies': { keys: CHARGED, facts: OUTSIDE, finds: [] },
  'the specification and charge type of a reused load balancer': {
    keys: { ...ID, spec: 'slb.s2.small', 'charge-type': 'paybytraffic' },
    finds: ['spec=slb.s2.small?', 'charge-type=paybytraffic?'],
  },
  'the protection of a reused load balancer': {
    keys: { ...ID, 'delete-protection': 'off', 'modification-protection': 'NonProtection' },
    finds: ['delete-protection=off?', 'modification-protection=NonProtection?'],
  },
  'the name of an owned load balancer': { keys: { name: 'shop' }, finds: [] },
  'attributes that are only compared, or belong to the Service': {
    keys: { ...ID, 'address-type': 'intranet', hostname: 'a.example.com', 'external-ip-type': 'eip' },
    finds: [],
  },
  'an unchanged name': { was: { ...ID, name: 'shop' }, keys: { ...ID, name: 'shop' }, finds: [] },
  'another name': { was: { ...ID, name: 'shop' }, keys: { ...ID, name: 'shop-2' }, finds: ['name=shop-2?'] },
  'an unchanged name with the id of another load balancer': {
    was: { id: 'lb-2', name: 'shop' },
    keys: { ...ID, name: 'shop' },
    finds: ['name=shop?'],
  },
} satisfies Record<string, RuleRow>);
