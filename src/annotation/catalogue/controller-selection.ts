import type { Mutability } from '../option-definition.ts';
import { annotationWithoutForms } from '../keys.ts';
import { oneOf, FLAG_VALUE } from '../value-type.ts';

/** The value of `type` that assigns a Service to the controller of network load balancers. */
export const NETWORK_TYPE = 'nlb';

const FIXED: Mutability = {
  kind: 'fixed',
  reason: 'the existing load balancer would become an orphan; create a second Service instead',
};

/** Annotations that assign a Service to another controller, so that Portcullis does not manage the Service. */
export const OTHER_CONTROLLERS = {
  class: annotationWithoutForms(
    {
      suffix: 'class',
      value: { kind: 'text', description: 'the name of another controller', max: 256 },
      absent: 'Portcullis manages the Service',
      mutability: FIXED,
      appliesTo: ['selection'],
      onReused: 'ignored',
      doc: 'Assigns the Service to another controller. Any value has this effect.',
      example: 'nginx-alb',
      since: 'v2.1.0 (2021-11)',
    },
    'service.beta.kubernetes.io/class',
  ),
  type: annotationWithoutForms({
    suffix: 'type',
    value: { ...oneOf(NETWORK_TYPE), ignoresOthers: true },
    absent: 'a classic load balancer (CLB)',
    mutability: FIXED,
    appliesTo: ['selection'],
    onReused: 'ignored',
    doc: 'Requests a network load balancer, which another controller manages. `spec.loadBalancerClass: "alibabacloud.com/nlb"` is more reliable, because it needs no feature gate. Any other value has no effect.',
    example: 'nlb',
    since: '2024-05, behind a feature gate',
  }),
  tunnelType: annotationWithoutForms({
    suffix: 'tunnel-type',
    value: { ...FLAG_VALUE, emptyIsEffective: true },
    absent: 'Portcullis manages the Service',
    mutability: FIXED,
    appliesTo: ['selection'],
    onReused: 'ignored',
    doc: 'Assigns the Service to another product, so Portcullis does not manage it. The key suffices, even without a value.',
    example: 'tunnel',
    since: 'v2.12.4 (2025-08)',
  }),
};
