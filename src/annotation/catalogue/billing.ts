import { annotation } from '../keys.ts';
import { integer, oneOf } from '../value-type.ts';

/** Annotations for billing. */
export const BILLING = {
  instanceChargeType: annotation({
    suffix: 'instance-charge-type',
    value: oneOf('PayBySpec', 'PayByCLCU'),
    default: 'PayByCLCU',
    cloudDefault: 'PayBySpec',
    mutability: {
      kind: 'updatable-if',
      reason: 'the cloud changes PayBySpec to PayByCLCU, but not back',
    },
    appliesTo: ['load-balancer'],
    onReused: 'applied',
    doc: 'The billing of the load balancer, by specification or by use. Releases before 2025-08 requested PayBySpec.',
    example: 'PayBySpec',
    since: 'v2.4.0 (2022-06)',
  }),
  spec: annotation({
    suffix: 'spec',
    value: {
      kind: 'text',
      description: 'a specification, such as slb.s2.small',
      max: 64,
      pattern: /^[a-z0-9.]+$/,
      known: ['slb.s1.small', 'slb.s2.small', 'slb.s2.medium', 'slb.s3.small', 'slb.s3.medium', 'slb.s3.large'],
    },
    absent: 'slb.s1.small with PayBySpec, none otherwise',
    mutability: { kind: 'updatable-if', reason: 'only while the load balancer is billed by specification' },
    appliesTo: ['load-balancer'],
    onReused: 'applied',
    requires: [{ option: 'instanceChargeType', values: ['PayBySpec'], otherwise: 'no-effect' }],
    doc: 'The specification, which limits connections and queries of the load balancer.',
    example: 'slb.s2.small',
    since: 'v1.9.3',
  }),
  chargeType: annotation({
    suffix: 'charge-type',
    value: oneOf('paybytraffic', 'paybybandwidth'),
    cloudDefault: 'paybytraffic',
    mutability: {
      kind: 'updatable-if',
      reason: 'only with a public address; a change to paybytraffic takes effect on the next day',
    },
    appliesTo: ['load-balancer'],
    onReused: 'applied',
    requires: [{ option: 'instanceChargeType', values: ['PayBySpec'], when: ['paybybandwidth'], otherwise: 'denied' }],
    conflicts: [{ option: 'addressType', values: ['intranet'], otherwise: 'no-effect' }],
    doc: 'The billing of public traffic, by volume or by bandwidth. With paybybandwidth, a new load balancer without instance-charge-type is PayBySpec.',
    example: 'paybybandwidth',
    since: 'v1.9.3',
  }),
  bandwidth: annotation({
    suffix: 'bandwidth',
    value: integer(1, 5120, 'Mbit/s'),
    mutability: { kind: 'updatable-if', reason: 'only while charge-type is paybybandwidth' },
    appliesTo: ['load-balancer'],
    onReused: 'applied',
    requires: [{ option: 'chargeType', values: ['paybybandwidth'], otherwise: 'no-effect' }],
    conflicts: [{ option: 'addressType', values: ['intranet'], otherwise: 'no-effect' }],
    doc: 'The maximum public bandwidth, which all listeners share. The limit depends on the region. A later change can be up to 5000.',
    example: '45',
    since: 'v1.9.3',
  }),
};
