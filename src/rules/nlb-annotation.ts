import { NETWORK_TYPE } from '../annotation/catalogue/selection.ts';
import { annotationField } from '../annotation/field.ts';
import type { Violation, Rule } from './rule.ts';
import { claimsOf, isClaimedByOthers, TYPE } from './engine/subject.ts';

const NONE: readonly Violation[] = [];

export const nlbAnnotation: Rule = {
  name: 'nlb-annotation',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'Annotations that only network load balancers know are pointed out on a Service that gets a classic one: they do nothing there, and perhaps the class was forgotten. So is a type that asks for one in a way that seldom works.',
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-zone-maps: "cn-hangzhou-a:vsw-1,cn-hangzhou-b:vsw-2"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-master-zoneid: "cn-hangzhou-a"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-slave-zoneid: "cn-hangzhou-b"
`,
  },
  judgesOthers: true,
  check: ({ object, parsed }) => {
    const isNetwork = object.metadata.annotations?.[TYPE] === NETWORK_TYPE;
    if (object.spec?.type !== 'LoadBalancer') return NONE;
    if (!isNetwork && parsed.nlbOnly.length === 0) return NONE;
    if (isClaimedByOthers(object)) return !isNetwork || claimsOf(object).length > 1 ? NONE : [asked(GATED)];
    const faults = parsed.nlbOnly.map((key) => ({
      field: annotationField(key),
      found: object.metadata.annotations?.[key] ?? '',
      allowed: 'nothing, because only network load balancers know this annotation, and this Service gets a classic one',
      fix: 'remove it, or make a Service with spec.loadBalancerClass alibabacloud.com/nlb',
      advice: true as const,
    }));
    return isNetwork ? [...faults, asked(SERVED)] : faults;
  },
};

const asked = (allowed: string): Violation => ({
  field: annotationField(TYPE),
  found: NETWORK_TYPE,
  allowed,
  fix: 'make a Service with spec.loadBalancerClass alibabacloud.com/nlb, which can be set on creation only',
  advice: true,
});

const GATED =
  'nothing, because the controller of network load balancers heeds it only behind the gate LoadBalancerTypeAnnotation, which is off by default: nobody may serve this Service';
const SERVED = 'nothing, because this Service has a classic load balancer and keeps it';
