import { choice, conditions, integer, list, object, observedGeneration, text } from './policy-schema.ts';

/** Resources that quotas count. */
export const DIMENSIONS = {
  loadBalancers: integer(0, 100_000, { description: 'The most load balancers of their own that Services may have.' }),
  publicLoadBalancers: integer(0, 100_000, { description: 'Of these, the most on the internet.' }),
  listeners: integer(0, 1_000_000, { description: 'The most listeners, on reused load balancers too.' }),
  bandwidth: integer(0, 10_000_000, {
    description:
      'The most bandwidth in Mbit/s of load balancers on the internet that are paid for by it; of reused ones what Services ask for.',
  }),
};

const amounts = (description: string) =>
  object(Object.fromEntries(Object.keys(DIMENSIONS).map((dimension) => [dimension, integer(0, 10_000_000)])), {
    description,
  });

export const POLICY_STATUS = object({
  observedGeneration,
  namespaces: integer(0, 1_000_000, { description: 'How many namespaces it selects.' }),
  conditions,
  usage: list(
    object(
      {
        name: { type: 'string', description: 'The quota.' },
        namespace: { type: 'string', description: 'Absent for what is counted over the whole policy.' },
        used: amounts('What the quota counts.'),
        hard: amounts('The limits of the quota.'),
      },
      { required: ['name', 'used', 'hard'] },
    ),
    100,
    { minItems: 0, description: 'Used and hard of each quota; only the fullest if there are more than 100.' },
  ),
  violations: list(
    object(
      {
        name: { type: 'string', description: 'A constraint, or a built-in rule that the policy tunes.' },
        services: integer(0, 10_000_000, { description: 'How many stored Services.' }),
        namespaces: integer(0, 1_000_000, { description: 'In how many namespaces.' }),
        examples: list(text(317), 5, { minItems: 0, description: 'The first of them, as namespace/name.' }),
      },
      { required: ['name', 'services', 'namespaces', 'examples'] },
    ),
    96,
    { minItems: 0, description: 'What is found in stored Services; absent before they have been looked through.' },
  ),
});

export const EXCEPTION_STATUS = object({
  observedGeneration,
  conditions,
  announced: choice(['ExpiresSoon', 'ExpiresWithinADay', 'Expired'], {
    description: 'The last announcement of its end, of which each is made once.',
  }),
});
