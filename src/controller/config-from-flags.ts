import { z } from 'zod';
import { PortcullisError } from '../base/errors.ts';
import { parseCidr, type Cidr } from '../node/cidr.ts';
import { PROVIDER_ID_FORMS, type ProviderIdForm } from '../node/provider-id.ts';
import { absentControllers, controllers, halfNamed, isNamed, type ControllerName } from './controllers-flag.ts';
import { address, cidrs, loadBalancerIds, oneOf, text, wholeNumber, type ListenAddress } from './flag-values.ts';
import { FLAGS, type Flag } from './flags.ts';
import { decimal, duration, toggle } from './go-values.ts';

/** The shortest interval between full reads of route tables. As in the Alibaba Cloud Controller Manager, shorter values are raised to this value. */
const SHORTEST_AUDIT_MS = 60_000;

/** The shortest accepted value of `--node-removal-grace`, because a restarting kubelet can be unresponsive for almost as long. */
const SHORTEST_GRACE_MS = 10_000;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** The kinds of locks for leader election in current and earlier Kubernetes versions. */
const LOCKS = ['leases', 'endpoints', 'configmaps', 'endpointsleases', 'configmapsleases'] as const;

/** The configuration of the controllers, from the flags. Times are in milliseconds. */
export interface ControllerConfig {
  readonly cloudConfig: string;
  readonly kubeconfig?: string;
  readonly controllers: ReadonlySet<ControllerName>;
  readonly clusterCidrs: readonly string[];
  /** Undefined if the flags request no routes. Set even without the route controller, because another process can create the routes. */
  readonly routes?: { readonly clusterCidrs: readonly Cidr[]; readonly auditMs: number };
  /** `disable` turns off the source and destination check of network interfaces, so that Nodes may forward packets of pods. */
  readonly sourceDestCheck: 'disable' | 'leave';
  /** The form of the provider ID on Nodes whose kubelet sets none. */
  readonly providerIdForm: ProviderIdForm;
  /** The time for which a Node must be not ready before the controller deletes the Node. The instance must be gone too. */
  readonly removalGraceMs: number;
  readonly network: 'vpc' | 'public';
  readonly accessKeyFolder?: string;
  /** The file with the encrypted token of an ACK add-on. If the file does not exist, other credentials are used. */
  readonly tokenFile: string;
  /** True if requests for instance metadata carry a token, which hardened metadata services require. */
  readonly hasHardenedMetadata: boolean;
  readonly protectedLoadBalancers: ReadonlySet<string>;
  /** True if violations of policies, and of rules that policies can weaken, only warn. The webhook has an equal flag. */
  readonly warnOnly: boolean;
  readonly serviceWorkers?: number;
  /** The settings of leader election. Undefined if the process works without a Lease. */
  readonly election?: {
    readonly lease: { readonly namespace: string; readonly name: string };
    readonly timing: { readonly leaseMs: number; readonly renewDeadlineMs: number; readonly retryMs: number };
  };
  readonly probes: ListenAddress;
  /** The additional address of `/metrics`. Undefined if only the address of the probes serves metrics. */
  readonly metrics?: ListenAddress;
  readonly apiRate: { readonly perSecond: number; readonly burst: number };
  /** True if this process issues and renews the certificate of the webhook, instead of cert-manager. */
  readonly hasSelfManagedCertificates: boolean;
  /** True if the process only logs the plan of every Service, and then exits. */
  readonly isDryRun: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** The warnings for the log about flags without effect and about missing flags. */
  readonly warnings: readonly string[];
}

/** The flags that the user set, by name. */
export type ConfigInput = ReadonlyMap<string, string>;

const SHAPE = {
  'cloud-config': text,
  kubeconfig: text.optional(),
  controllers,
  'cluster-cidr': cidrs,
  'configure-cloud-routes': toggle,
  'route-reconciliation-period': duration,
  'skip-disable-source-dest-check': toggle,
  'provider-id-form': oneOf(PROVIDER_ID_FORMS),
  'node-removal-grace': duration.refine((ms) => ms >= SHORTEST_GRACE_MS, 'expected 10s or more'),
  network: oneOf(['vpc', 'public']),
  'access-key-dir': text.optional(),
  'addon-token-file': text,
  'enable-imdsv2': toggle,
  'protected-load-balancers': loadBalancerIds,
  'warn-only': toggle,
  'concurrent-service-syncs': wholeNumber(1, 100).optional(),
  'leader-elect': toggle,
  'leader-elect-lease-duration': duration,
  'leader-elect-renew-deadline': duration,
  'leader-elect-retry-period': duration.refine((ms) => ms > 0, 'expected more than 0'),
  'leader-elect-resource-name': text,
  'leader-elect-resource-namespace': text,
  'leader-elect-resource-lock': oneOf(LOCKS),
  'health-probe-bind-addr': address,
  'probe-port': wholeNumber(0, 65_535).optional(),
  address: text.optional(),
  port: wholeNumber(0, 65_535).optional(),
  'metrics-bind-addr': z.union([z.enum(['0', '']).transform(() => undefined), address]),
  'kube-api-qps': decimal(0.1, 10_000),
  'kube-api-burst': wholeNumber(1, 10_000),
  'self-managed-certificates': toggle,
  'dry-run': toggle,
  'log-level': oneOf(LOG_LEVELS),
  v: wholeNumber(0, 10).optional(),
};
const Shape = z.object(SHAPE);
type Read = z.output<typeof Shape>;

const problemOf = ({ path, message }: z.core.$ZodIssue, input: Readonly<Record<string, string>>): string => {
  const name = String(path[0]);
  const value = input[name];
  return value === undefined
    ? `--${name} is missing (${FLAGS.find((flag) => flag.name === name)?.doc ?? ''})`
    : `--${name} ${JSON.stringify(value)}: ${message}`;
};

/** Returns the name and the default value of a flag. Empty if the flag has no default. */
const defaultOf = (flag: Flag): readonly (readonly [string, string])[] =>
  flag.support.kind === 'used' && flag.support.default !== undefined ? [[flag.name, flag.support.default]] : [];

/** Reads the flags, before any controller starts. Throws one `InvalidConfiguration` that names every wrong or missing flag. */
export function readControllerConfig(input: ConfigInput): ControllerConfig {
  const values = Object.fromEntries([...FLAGS.flatMap(defaultOf), ...input]);
  const result = Shape.safeParse(values);
  const problems = (result.error?.issues ?? []).map((issue) => problemOf(issue, values));
  for (const { name, support } of FLAGS)
    if (support.kind === 'rejected' && input.has(name)) problems.push(`--${name}: ${support.because}`);
  if (result.success) problems.push(...contradictions(result.data), ...routeProblems(result.data, input));
  if (!result.success || problems.length > 0) throw new PortcullisError('InvalidConfiguration', problems.join('; '));
  return configOf(result.data, warningsFor(result.data, input));
}

/** Returns the problem of flags that contradict each other. */
function contradictions(read: Read): readonly string[] {
  const { 'leader-elect-lease-duration': lease, 'leader-elect-renew-deadline': renew } = read;
  if (lease <= renew) return ['--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline'];
  return renew <= read['leader-elect-retry-period']
    ? ['--leader-elect-renew-deadline must be longer than --leader-elect-retry-period']
    : [];
}

/** Returns the reasons why routes that flags request cannot be created. */
function routeProblems(read: Read, input: ConfigInput): readonly string[] {
  const families = read['cluster-cidr'].map((range) => range.includes(':'));
  if (families.length > 2 || (families.length === 2 && families[0] === families[1]))
    return ['--cluster-cidr: expected one range, or an IPv4 and an IPv6 range'];
  if (!lacksRange(read)) return [];
  if (input.has('configure-cloud-routes'))
    return ['--configure-cloud-routes requires --cluster-cidr; set --cluster-cidr to the range of the pods'];
  return read.controllers.has('route') && isNamed('route', input.get('controllers') ?? '')
    ? [
        '--controllers includes "route", which requires --cluster-cidr; set --cluster-cidr to the range of the pods, or set --configure-cloud-routes=false',
      ]
    : [];
}

const lacksRange = (read: Read): boolean => read['configure-cloud-routes'] && read['cluster-cidr'].length === 0;

/** Returns the warnings for the log about flags without effect and about missing flags. */
function warningsFor(read: Read, input: ConfigInput): readonly string[] {
  const warnings = FLAGS.flatMap(({ name, support }) =>
    support.kind === 'ignored' && input.has(name) ? [`--${name} has no effect: ${support.because}`] : [],
  );
  const lock = input.get('leader-elect-resource-lock');
  if (lock !== undefined && lock !== 'leases')
    warnings.push(`--leader-elect-resource-lock ${lock} has no effect: the controller uses a Lease`);
  const named = input.get('controllers') ?? '';
  const half = halfNamed(named);
  if (half !== undefined)
    warnings.push(
      `--controllers: ${half} starts the controller "node", which does the work of cloud-node and cloud-node-lifecycle`,
    );
  const absent = absentControllers(named);
  if (absent.length > 0) warnings.push(`--controllers: ignored ${absent.join(', ')}, which this version does not have`);
  if (read.controllers.has('route') && lacksRange(read))
    warnings.push(
      'no routes are created without --cluster-cidr; set --cluster-cidr to the range of the pods, or set --configure-cloud-routes=false',
    );
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

/** Returns the settings of routes. Empty without `--cluster-cidr`, or with `--configure-cloud-routes=false`. */
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
    providerIdForm: read['provider-id-form'],
    removalGraceMs: read['node-removal-grace'],
    network: read.network,
    ...(read['access-key-dir'] === undefined ? {} : { accessKeyFolder: read['access-key-dir'] }),
    tokenFile: read['addon-token-file'],
    hasHardenedMetadata: read['enable-imdsv2'],
    protectedLoadBalancers: new Set(read['protected-load-balancers']),
    warnOnly: read['warn-only'],
    ...(syncs === undefined ? {} : { serviceWorkers: syncs }),
    ...(read['leader-elect'] ? { election: electionOf(read) } : {}),
    probes: {
      ...read['health-probe-bind-addr'],
      ...(read.address === undefined ? {} : { host: read.address }),
      ...(port === undefined ? {} : { port }),
    },
    ...(metrics === undefined ? {} : { metrics }),
    apiRate: { perSecond: read['kube-api-qps'], burst: read['kube-api-burst'] },
    hasSelfManagedCertificates: read['self-managed-certificates'],
    isDryRun: read['dry-run'],
    logLevel: levelOf(read),
    warnings,
  };
}
