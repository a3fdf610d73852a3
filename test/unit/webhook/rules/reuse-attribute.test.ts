import { reuseAttribute } from '../../../../webhook/rules/reuse-attribute.ts';
import { describeRule, type RuleRow } from '../../../support/rule-rows.ts';

const ID = { id: 'lb-1' };

describeRule(reuseAttribute, {
  'what is paid for a reused load balancer': {
    keys: { ...ID, spec: 'slb.s2.small', 'charge-type': 'paybytraffic' },
    finds: ['spec=slb.s2.small?', 'charge-type=paybytraffic?'],
  },
  'the protection of a reused load balancer': {
    keys: { ...ID, 'delete-protection': 'off', 'modification-protection': 'NonProtection' },
    finds: ['delete-protection=off?', 'modification-protection=NonProtection?'],
  },
  'the name of one of its own': { keys: { name: 'shop' }, finds: [] },
  'what only is compared, or concerns the Service': {
    keys: { ...ID, 'address-type': 'intranet', hostname: 'a.example.com', 'external-ip-type': 'eip' },
    finds: [],
  },
  'a name that was there before': { was: { ...ID, name: 'shop' }, keys: { ...ID, name: 'shop' }, finds: [] },
  'another name': { was: { ...ID, name: 'shop' }, keys: { ...ID, name: 'shop-2' }, finds: ['name=shop-2?'] },
  'the same name of another load balancer': {
    was: { id: 'lb-2', name: 'shop' },
    keys: { ...ID, name: 'shop' },
    finds: ['name=shop?'],
  },
} satisfies Record<string, RuleRow>);
