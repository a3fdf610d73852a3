import { z } from 'zod';
import { PortcullisError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { parseCidr, type Cidr } from '../node/cidr.ts';
import { FLAGS, type Flag } from './flags.ts';

export const CONTROLLERS = ['service', 'node', 'route', 'inventory'] as const;
export type ControllerName = (typeof CONTROLLERS)[number];

/** Other programs' names for controllers; those that we do not have are left out, with a warning. */
const ALIASES: Readonly<Record<string, ControllerName | 'absent'>> = {
  'service-lb-controller': 'service',
  'cloud-node': 'node',
  'cloud-node-controller': 'node',
  'cloud-node-lifecycle': 'node',
  'cloud-node-lifecycle-controller': 'node',
  'node-route-controller': 'route',
  nlb: 'absent',
  ingress: 'absent',
  pvtz: 'absent',
};

/** Of a period for reading route tables again; what is shorter is raised to it, as in the existing controller. */
const SHORTEST_AUDIT_MS = 60_000;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** Kinds of locks that were, and are no longer known to Kubernetes. */
const LOCKS = ['leases', 'endpoints', 'configmaps', 'endpointsleases', 'configmapsleases'] as const;

export interface Address {
  /** Empty for every address of the machine. */
  readonly host: string;
  readonly port: number;
}

/** What the process is told by its flags, checked. Times are milliseconds. */
export interface ControllerConfig {
  readonly cloudConfig: string;
  readonly kubeconfig?: string;
  readonly controllers: ReadonlySet<ControllerName>;
  readonly clusterCidrs: readonly string[];
  /** Absent where no routes are made. */
  readonly routes?: { readonly clusterCidrs: readonly Cidr[]; readonly auditMs: number };
  /** Whether interfaces of instances are let carry packets of pods, where routes are made. */
  readonly sourceDestCheck: 'disable' | 'leave';
  readonly network: 'vpc' | 'public';
  readonly accessKeyFolder?: string;
  readonly protectedLoadBalancers: ReadonlySet<string>;
  readonly serviceWorkers?: number;
  /** Absent: no election. */
  readonly election?: {
    readonly lease: { readonly namespace: string; readonly name: string };
    readonly timing: { readonly leaseMs: number; readonly renewDeadlineMs: number; readonly retryMs: number };
  };
  readonly probes: Address;
  /** Absent: metrics are served with the probes only. */
  readonly metrics?: Address;
  readonly apiRate: { readonly perSecond: number; readonly burst: number };
  /** Whether to change nothing, and to end once it is known what would be changed. */
  readonly isDryRun: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Sentences about flags that are accepted and have no effect. */
  readonly warnings: readonly string[];
}

/** The flags that were given, by name. */
export type Given = ReadonlyMap<string, string>;

const near = (text: string, known: Iterable<string>): string => {
  const guess = nearest(text, known);
  return guess === undefined ? '' : ` (perhaps ${guess})`;
};

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: ({ input }) => `expected one of ${values.join(', ')}${near(String(input), values)}` });

const number = (min: number, max: number) => {
  const message = `expected a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,6}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));
};

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** As Go writes it: `15s`, `1m30s`, `500ms`. */
const duration = z
  .string()
  .regex(/^(?:\d{1,6}(?:ms|s|m|h))+$/, 'expected a time such as 15s or 1m30s')
  .transform((text) =>
    [...text.matchAll(/(\d+)(ms|s|m|h)/g)].reduce(
      (sum, [, count, unit = 's']) => sum + Number(count) * (UNITS[unit] ?? 0),
      0,
    ),
  );

const toggle = oneOf(['true', 'false']).transform((text) => text === 'true');
const text = z.string().min(1, 'expected a value');
const list = z.string().transform((joined) =>
  joined
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

const address = z.string().transform((written, context): Address => {
  const [, bracketed, bare, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(written) ?? [];
  const port = Number(digits ?? NaN);
  if (port <= 65_535) return { host: bracketed ?? bare ?? '', port };
  context.addIssue('expected an address such as :10258 or 127.0.0.1:10258');
  return z.NEVER;
});

const ids = list.refine(
  (all) => all.every((id) => /^lb-[a-z0-9]+$/.test(id)),
  'expected ids such as lb-bp1hfycf39bbeb019pg7m, joined by commas',
);
const CIDR = z.union([z.cidrv4(), z.cidrv6()]);
const cidrs = list.refine(
  (all) => all.every((range) => CIDR.safeParse(range).success),
  'expected ranges such as 10.244.0.0/16, joined by commas',
);

const controllers = list.transform((words, context): ReadonlySet<ControllerName> => {
  const chosen = new Set<ControllerName>(words.every((word) => word.startsWith('-')) ? CONTROLLERS : []);
  for (const word of words) {
    const bare = word.replace(/^-/, '');
    const name = CONTROLLERS.find((known) => known === bare) ?? ALIASES[bare];
    if (word === '*') for (const each of CONTROLLERS) chosen.add(each);
    else if (name === undefined) context.addIssue(`there is no controller ${bare}${near(bare, CONTROLLERS)}`);
    else if (name !== 'absent') chosen[word.startsWith('-') ? 'delete' : 'add'](name);
  }
  // The webhook judges by what the inventory says, whoever runs the Services.
  return words.includes('-inventory') ? chosen : chosen.add('inventory');
});

const SHAPE = {
  'cloud-config': text,
  kubeconfig: text.optional(),
  controllers,
  'cluster-cidr': cidrs,
  'configure-cloud-routes': toggle,
  'route-reconciliation-period': duration,
  'skip-disable-source-dest-check': toggle,
  network: oneOf(['vpc', 'public']),
  'access-key-dir': text.optional(),
  'protected-load-balancers': ids,
  'concurrent-service-syncs': number(1, 100).optional(),
  'leader-elect': toggle,
  'leader-elect-lease-duration': duration,
  'leader-elect-renew-deadline': duration,
  'leader-elect-retry-period': duration,
  'leader-elect-resource-name': text,
  'leader-elect-resource-namespace': text,
  'leader-elect-resource-lock': oneOf(LOCKS),
  'health-probe-bind-addr': address,
  'probe-port': number(0, 65_535).optional(),
  address: text.optional(),
  port: number(0, 65_535).optional(),
  'metrics-bind-addr': z.union([z.enum(['0', '']).transform(() => undefined), address]),
  'kube-api-qps': number(1, 10_000),
  'kube-api-burst': number(1, 10_000),
  'dry-run': toggle,
  'log-level': oneOf(LOG_LEVELS),
  v: number(0, 10).optional(),
};
const Shape = z.object(SHAPE);
type Read = z.output<typeof Shape>;

const problemOf = ({ path, message }: z.core.$ZodIssue, given: Readonly<Record<string, string>>): string => {
  const name = String(path[0]);
  const value = given[name];
  return value === undefined
    ? `--${name} is missing (${FLAGS.find((flag) => flag.name === name)?.doc ?? ''})`
    : `--${name} ${JSON.stringify(value)}: ${message}`;
};

const initial = (flag: Flag): readonly (readonly [string, string])[] =>
  flag.fate.kind === 'used' && flag.fate.default !== undefined ? [[flag.name, flag.fate.default]] : [];

/** Reads the flags. Throws one `InvalidConfiguration` that names every wrong or missing one. */
export function readControllerConfig(given: Given): ControllerConfig {
  const values = Object.fromEntries([...FLAGS.flatMap(initial), ...given]);
  const result = Shape.safeParse(values);
  const problems = (result.error?.issues ?? []).map((issue) => problemOf(issue, values));
  for (const { name, fate } of FLAGS)
    if (fate.kind === 'refused' && given.has(name)) problems.push(`--${name}: ${fate.because}`);
  if (result.success) problems.push(...contradictions(result.data), ...routeProblems(result.data, given));
  if (!result.success || problems.length > 0) throw new PortcullisError('InvalidConfiguration', problems.join('; '));
  return configOf(result.data, warningsFor(given));
}

function contradictions(read: Read): readonly string[] {
  const { 'leader-elect-lease-duration': lease, 'leader-elect-renew-deadline': renew } = read;
  if (lease <= renew) return ['--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline'];
  return renew <= read['leader-elect-retry-period']
    ? ['--leader-elect-renew-deadline must be longer than --leader-elect-retry-period']
    : [];
}

/** Routes that were asked for by name, and cannot be made. */
function routeProblems(read: Read, given: Given): readonly string[] {
  const families = read['cluster-cidr'].map((range) => range.includes(':'));
  if (families.length > 2 || (families.length === 2 && families[0] === families[1]))
    return ['--cluster-cidr: expected one range, or one of each family'];
  return given.get('configure-cloud-routes') === 'true' && families.length === 0
    ? ['--configure-cloud-routes needs --cluster-cidr, the range that the pods have']
    : [];
}

function warningsFor(given: Given): readonly string[] {
  const warnings = FLAGS.flatMap(({ name, fate }) =>
    fate.kind === 'ignored' && given.has(name) ? [`--${name} has no effect: ${fate.because}`] : [],
  );
  const lock = given.get('leader-elect-resource-lock');
  if (lock !== undefined && lock !== 'leases') warnings.push(`--leader-elect-resource-lock ${lock}: a Lease is used`);
  const absent = (given.get('controllers') ?? '').split(',').filter((name) => ALIASES[name.trim()] === 'absent');
  if (absent.length > 0) warnings.push(`--controllers: this version has no ${absent.join(', ')}`);
  return warnings;
}

const levelOf = ({ v, 'log-level': level }: Read): ControllerConfig['logLevel'] =>
  v === undefined || v < 4 ? level : v < 6 ? 'debug' : 'trace';

function electionOf(read: Read): NonNullable<ControllerConfig['election']> {
  return {
    lease: { namespace: read['leader-elect-resource-namespace'], name: read['leader-elect-resource-name'] },
    timing: {
      leaseMs: read['leader-elect-lease-duration'],
      renewDeadlineMs: read['leader-elect-renew-deadline'],
      retryMs: read['leader-elect-retry-period'],
    },
  };
}

/** Without a range there is nothing to make routes to. */
function routesOf(read: Read): Pick<ControllerConfig, 'routes'> {
  const clusterCidrs = read['cluster-cidr'].flatMap((range) => parseCidr(range) ?? []);
  if (!read['configure-cloud-routes'] || clusterCidrs.length === 0) return {};
  return { routes: { clusterCidrs, auditMs: Math.max(read['route-reconciliation-period'], SHORTEST_AUDIT_MS) } };
}

function configOf(read: Read, warnings: readonly string[]): ControllerConfig {
  const port = read['probe-port'] ?? read.port;
  const metrics = read['metrics-bind-addr'];
  const syncs = read['concurrent-service-syncs'];
  return {
    cloudConfig: read['cloud-config'],
    ...(read.kubeconfig === undefined ? {} : { kubeconfig: read.kubeconfig }),
    controllers: read.controllers,
    clusterCidrs: read['cluster-cidr'],
    ...routesOf(read),
    sourceDestCheck: read['skip-disable-source-dest-check'] ? 'leave' : 'disable',
    network: read.network,
    ...(read['access-key-dir'] === undefined ? {} : { accessKeyFolder: read['access-key-dir'] }),
    protectedLoadBalancers: new Set(read['protected-load-balancers']),
    ...(syncs === undefined ? {} : { serviceWorkers: syncs }),
    ...(read['leader-elect'] ? { election: electionOf(read) } : {}),
    probes: {
      ...read['health-probe-bind-addr'],
      ...(read.address === undefined ? {} : { host: read.address }),
      ...(port === undefined ? {} : { port }),
    },
    ...(metrics === undefined ? {} : { metrics }),
    apiRate: { perSecond: read['kube-api-qps'], burst: read['kube-api-burst'] },
    isDryRun: read['dry-run'],
    logLevel: levelOf(read),
    warnings,
  };
}
