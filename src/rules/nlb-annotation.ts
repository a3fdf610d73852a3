import { NETWORK_TYPE } from '../annotation/catalogue/controller-selection.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import type { Violation, Rule } from './rule.ts';
import { controllerSelectors, isManagedByOtherController, TYPE } from './engine/subject.ts';

const NONE: readonly Violation[] = [];

/** Only warns. Without the warnings, users would expect a Network Load Balancer, but get a Classic Load Balancer. */
export const nlbAnnotation: Rule = {
  name: 'nlb-annotation',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'The rule warns about annotations of Network Load Balancers on a Service that gets a Classic Load Balancer. Such annotations have no effect there. Perhaps spec.loadBalancerClass alibabacloud.com/nlb is missing. The rule also warns about the annotation type, which requests a Network Load Balancer only behind a feature gate.',
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
  checksOtherServices: true,
  check: ({ object, parsed }) => {
    const isNetwork = object.metadata.annotations?.[TYPE] === NETWORK_TYPE;
    if (object.spec?.type !== 'LoadBalancer') return NONE;
    if (!isNetwork && parsed.nlbOnly.length === 0) return NONE;
    if (isManagedByOtherController(object))
      return !isNetwork || controllerSelectors(object).length > 1 ? NONE : [requestsNetwork(GATED)];
    const violations = parsed.nlbOnly.map((key) => ({
      field: annotationField(key),
      reason: 'Invalid' as const,
      value: object.metadata.annotations?.[key] ?? '',
      detail: 'has no effect: only Network Load Balancers have this annotation',
      remedy: 'remove the annotation, or create a Service with spec.loadBalancerClass alibabacloud.com/nlb',
      advice: true as const,
    }));
    return isNetwork ? [...violations, requestsNetwork(SERVED)] : violations;
  },
};

const requestsNetwork = (detail: string): Violation => ({
  field: annotationField(TYPE),
  reason: 'Invalid',
  value: NETWORK_TYPE,
  detail,
  remedy: 'create a Service with spec.loadBalancerClass alibabacloud.com/nlb, which cannot be set later',
  advice: true,
});

const GATED =
  'requires the feature gate LoadBalancerTypeAnnotation, which is off by default: while it is off, this Service may have no controller';
const SERVED = 'has no effect: this Service keeps its Classic Load Balancer';
