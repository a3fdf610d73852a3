import type { Fault, Rule } from './rule.ts';
import { writtenAs } from './engine/written.ts';

const NONE: readonly Fault[] = [];

export const reuseTags: Rule = {
  name: 'reuse-tags',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'Tags that a Service gives to a load balancer that it reuses are pointed out: they overwrite those of its owner that have the same keys, and stay when the annotation or the Service goes. All others are left alone.',
  since: '0.1.0',
  examples: {
    given: {
      said: 'somebody has made lb-1, with a listener for port 80',
      loadBalancers: { 'lb-1': { owner: 'nobody', listeners: [{ port: 80, protocol: 'tcp' }] } },
    },
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-additional-resource-tags: "team=shop"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
`,
  },
  check: (subject) => {
    const { id, additionalResourceTags: tags } = subject.parsed.options;
    if (id === undefined || tags === undefined) return NONE;
    const written = writtenAs('additionalResourceTags', subject);
    const { before } = subject;
    // Once it is done there is nothing to be warned of.
    const isDone =
      before?.parsed.options.id === id && writtenAs('additionalResourceTags', before).found === written.found;
    if (isDone) return NONE;
    return [
      {
        ...written,
        allowed: `tags that load balancer ${id} does not have: those of the same keys are overwritten, and all stay when the annotation or the Service goes`,
        fix: 'leave it if that is meant, or remove the annotation and tag it in the cloud',
        advice: true,
      },
    ];
  },
};
