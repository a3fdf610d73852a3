import { ExceptionShape } from '../../src/lint/policy/exception-shape.ts';
import { PolicyShape } from '../../src/lint/policy/load-balancer-policy-schema.ts';
import { definition, ready } from './policy-definition.ts';
import { EXCEPTION_STATUS, POLICY_STATUS } from './policy-status-schema.ts';
import { structuralSchema } from './structural-schema.ts';

/** Returns the definition of LoadBalancerPolicy, which `make generate` writes into manifests/crds. */
export const policyDefinition = (): string =>
  definition({
    summary: 'Rules, defaults and quotas that a platform team sets for the Services of the cluster.',
    kind: 'LoadBalancerPolicy',
    plural: 'loadbalancerpolicies',
    shortName: 'lbp',
    description:
      'LoadBalancerPolicy contains rules, defaults and quotas that a platform team sets for the Services of the cluster. If several policies apply to a Service, the strictest applies.',
    columns: [
      ready('Ready'),
      { name: 'Mode', type: 'string', jsonPath: '.status.mode' },
      { name: 'Namespaces', type: 'integer', jsonPath: '.status.namespaces' },
      { name: 'Violations', type: 'integer', jsonPath: '.status.totalViolations' },
      { name: 'Reason', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].reason", priority: 1 },
    ],
    spec: structuralSchema(PolicyShape.shape.spec),
    status: POLICY_STATUS,
  });

/** Returns the definition of LoadBalancerException, which `make generate` writes into manifests/crds. */
export const exceptionDefinition = (): string =>
  definition({
    summary: 'An exception from one rule, for one object or for selected Services, until a date.',
    kind: 'LoadBalancerException',
    plural: 'loadbalancerexceptions',
    shortName: 'lbx',
    description:
      'LoadBalancerException allows violations of one rule with a warning, for one object or for selected Services, until a date. Creating the object grants the exception.',
    columns: [
      { name: 'Rule', type: 'string', jsonPath: '.spec.rule' },
      { name: 'Namespace', type: 'string', jsonPath: '.spec.object.namespace' },
      { name: 'Object', type: 'string', jsonPath: '.spec.object.name' },
      { name: 'Owner', type: 'string', jsonPath: '.spec.owner' },
      { name: 'Expires', type: 'string', jsonPath: '.spec.expires' },
      ready('Active'),
    ],
    spec: structuralSchema(ExceptionShape.shape.spec),
    status: EXCEPTION_STATUS,
  });
