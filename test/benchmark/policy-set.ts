import type { Constraint, LoadBalancerPolicySpec } from '../../src/policy/custom-resources.ts';

const INTERNET = { annotation: 'address-type', oneOf: ['internet'] } as const;

/** Typical constraints of platform teams, which vary with the number of the policy. */
const THEMES: readonly ((n: number) => readonly Constraint[])[] = [
  (n) => [
    {
      name: 'guarded',
      message: 'list who may come in an ACL',
      when: [INTERNET],
      require: [
        { annotation: 'acl-status', oneOf: ['on'] },
        { annotation: 'acl-id', noneOf: [`acl-${n}`] },
        { annotation: 'acl-type', oneOf: ['white'] },
      ],
    },
  ],
  (n) => [
    {
      name: 'ceiling',
      when: [{ annotation: 'charge-type', oneOf: ['paybybandwidth'] }],
      require: [{ annotation: 'bandwidth', max: 5_000 - (n % 90) }],
    },
    { name: 'paying', require: [{ annotation: 'instance-charge-type', oneOf: ['PayBySpec', 'PayByCLCU'] }] },
  ],
  (n) => [{ name: 'specifications', require: [{ annotation: 'spec', noneOf: ['slb.s9.*', `slb.x${n}`] }] }],
  (n) => [
    { name: 'admin-ports', require: [{ field: 'port', noneOf: ['22', '3389', String(2_000 + n)] }] },
    { name: 'low-ports', require: [{ field: 'port', max: 60_000 + n }] },
  ],
  (n) => [
    { name: 'reserved', require: [{ annotation: 'name', noneOf: [`prod${n}-*`, 'infra-*'] }] },
    ...(n < 10 ? [{ name: 'by-namespace', require: [{ annotation: 'name', oneOf: ['${namespace}-*'] }] }] : []),
  ],
  (n) => [
    {
      name: 'owned',
      when: [{ tag: 'tier', oneOf: [`tier-${n}`] }],
      require: [{ tag: 'owner', present: true }],
    },
  ],
  (n) => [
    {
      name: 'certificates',
      when: [{ field: 'protocol', oneOf: ['https'] }],
      require: [{ annotation: 'cert-id', noneOf: [`old${n}_*`, ...(n < 10 ? ['wrong*'] : [])] }],
    },
  ],
  (n) => [
    {
      name: 'health-checks',
      require: [
        { annotation: 'health-check-interval', min: 1, max: 50 - (n % 9) },
        { annotation: 'healthy-threshold', min: 2, max: 10 },
        { annotation: 'unhealthy-threshold', min: 2, max: 10 },
        { annotation: 'health-check-connect-timeout', max: 300 - (n % 90) },
      ],
    },
  ],
  (n) => [
    { name: 'timeouts', require: [{ annotation: 'established-timeout', max: 900 - (n % 90) }] },
    { name: 'schedulers', require: [{ annotation: 'scheduler', noneOf: n % 2 === 0 ? ['sch'] : ['tch', 'qch'] }] },
  ],
  (n) => [
    {
      name: 'shared',
      when: [{ annotation: 'id', present: true }],
      require: [{ reusedTag: 'shared', oneOf: [`team-${n}`, 'all'] }],
    },
  ],
];

/** Returns a unique policy for namespaces of team shop. The benchmarks `policies` and `reports` use such policies. */
export const specOf = (n: number): LoadBalancerPolicySpec => ({
  match: { namespaceSelector: { matchLabels: { team: 'shop' } } },
  ...(n % 10 === 0 ? { rules: [{ rule: 'target-port', mode: 'warn' as const }] } : {}),
  constraints: THEMES[n % THEMES.length]?.(n) ?? [],
  ...(n % 10 === 1 ? { defaults: [{ annotation: 'address-type', value: 'intranet' }] } : {}),
  ...(n % 10 === 2 ? { quotas: [{ name: 'few', per: 'namespace' as const, loadBalancers: 1_000 + n }] } : {}),
});

/** Returns `count` policies by name. */
export const policySpecs = (count: number): Readonly<Record<string, LoadBalancerPolicySpec>> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, specOf(n)] as const));
