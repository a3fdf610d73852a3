import type { Rule } from './rule.ts';
import { annotationField } from './engine/listeners.ts';

export const nlbAnnotation: Rule = {
  name: 'nlb-annotation',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'Annotations that only network load balancers know are pointed out on a Service that gets a classic one: they do nothing there, and perhaps the class was forgotten.',
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
  check: ({ object, parsed }) =>
    parsed.nlbOnly.map((key) => ({
      field: annotationField(key),
      found: object.metadata.annotations?.[key] ?? '',
      allowed: 'nothing, because only network load balancers know this annotation, and this Service gets a classic one',
      fix: 'remove it, or make a Service with spec.loadBalancerClass alibabacloud.com/nlb',
      advice: true,
    })),
};
