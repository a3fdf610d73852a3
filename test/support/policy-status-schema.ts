import type { QuotaDimension } from '../../src/policy/custom-resources.ts';
import { choice, conditions, integer, list, object, observedGeneration, text } from './crd-schema-parts.ts';

/** The descriptions of the numbers of a usage. */
const UNITS: Readonly<Record<QuotaDimension, string>> = {
  loadBalancers: 'Owned load balancers.',
  publicLoadBalancers: 'Owned internet load balancers.',
  listeners: 'Listeners.',
  bandwidth: 'Bandwidth in Mbit/s.',
};

const amounts = (description: string) =>
  object(
    Object.fromEntries(
      Object.entries(UNITS).map(([dimension, unit]) => [dimension, integer(0, 10_000_000, { description: unit })]),
    ),
    { description },
  );

/** The schema of the status of LoadBalancerPolicy. */
export const POLICY_STATUS = object(
  {
    observedGeneration,
    namespaces: integer(0, 1_000_000, { description: 'The number of namespaces that the policy selects.' }),
    conditions,
    mode: {
      type: 'string',
      description:
        'The present modes of the rules, constraints and quotas of the policy, the strictest first, separated by commas; absent for a policy of defaults alone. With --warn-only, and before the date in enforceAfter, enforce counts as warn.',
    },
    usage: list(
      object(
        {
          name: { type: 'string', description: 'The name of the quota.' },
          namespace: { type: 'string', description: 'The namespace; absent for a quota per policy.' },
          used: amounts('The current usage.'),
          hard: amounts('The limits.'),
        },
        { required: ['name', 'used', 'hard'] },
      ),
      100,
      {
        minItems: 0,
        description:
          'The usage and the limits of each quota. If the policy has more than 100 entries, those closest to their limits.',
      },
    ),
    violations: list(
      object(
        {
          name: {
            type: 'string',
            description: 'The name of a constraint, or of a built-in rule that the policy sets a mode for.',
          },
          services: integer(0, 10_000_000, { description: 'The number of stored Services with violations.' }),
          namespaces: integer(0, 1_000_000, { description: 'The number of namespaces of these Services.' }),
          examples: list(text(317), 5, { minItems: 0, description: 'The first of these Services, as namespace/name.' }),
        },
        { required: ['name', 'services', 'namespaces', 'examples'] },
      ),
      96,
      {
        minItems: 0,
        description: 'The violations of stored Services; absent until the controller has checked all stored Services.',
      },
    ),
    totalViolations: integer(0, 1_000_000_000, {
      description: 'The sum of the Services in violations. A Service counts once for each of its rules.',
    }),
  },
  { description: 'The state of the policy, as the controller last evaluated it.' },
);

/** The schema of the status of LoadBalancerException. */
export const EXCEPTION_STATUS = object(
  {
    observedGeneration,
    conditions,
    announced: choice(['ExpiresSoon', 'ExpiresWithinADay', 'Expired'], {
      description:
        'The last announcement of the end of the exception. The controller publishes each announcement once.',
    }),
  },
  { description: 'The state of the exception, as the controller last evaluated it.' },
);
