import type { RuleCard } from '../rules/rule.ts';

/** The checks that only `lint` performs, because the webhook receives only parsed objects, and rewrites deprecated keys. */
export const CHECKS = {
  syntax: {
    name: 'manifest-syntax',
    kind: 'any',
    tier: 'hygiene',
    tunable: false,
    doc: 'A file is valid YAML or JSON, and each map has a key only once. If a key is repeated, only its last value takes effect, without an error.',
    since: '0.1.0',
    examples: {
      wrong: `metadata:
  labels:
    team: shop
  labels:
    app: web
`,
      right: `metadata:
  labels:
    team: shop
    app: web
`,
    },
  },
  type: {
    name: 'field-type',
    kind: 'any',
    tier: 'hygiene',
    tunable: false,
    doc: 'Fields have the types of the API. In particular, the value of an annotation is text: a number, true or on needs quotation marks. Otherwise, the API server rejects the object.',
    since: '0.1.0',
    examples: {
      wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-health-check-flag: on
`,
      right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-health-check-flag: "on"
`,
    },
  },
  deprecated: {
    name: 'deprecated-key',
    kind: 'any',
    tier: 'hygiene',
    tunable: true,
    doc: 'A deprecated key works, but gets a warning. The webhook stores the current key instead of it or in addition to it. If both have different values, the current key takes effect.',
    since: '0.1.0',
    examples: {
      wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alicloud-loadbalancer-bandwidth: "100"
`,
      right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-bandwidth: "100"
`,
    },
  },
  copy: {
    name: 'undeclared-copy',
    kind: 'Service',
    tier: 'hygiene',
    tunable: true,
    doc: 'With --against: the stored object has an annotation that is not in the manifest and that no client owns. The annotation stays in effect. The webhook added it as a policy default, or copied it from a deprecated key that was removed later.',
    since: '0.1.0',
    examples: {
      before: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-preserve-lb-on-delete: "true"
`,
      wrong: `metadata:
  annotations: {}
`,
      right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-preserve-lb-on-delete: "true"
`,
    },
  },
} as const satisfies Readonly<Record<string, RuleCard>>;
