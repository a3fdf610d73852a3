import { join } from 'node:path';
import { z } from 'zod';
import { PortcullisError } from '../src/base/errors.ts';
import { nearest } from '../src/base/spelling-suggestion.ts';
import type { ServerAddress } from './server/bind-address.ts';
import type { PairFiles } from './server/certificate-files.ts';
import type { ClientsConfig } from './server/client-certificates.ts';
import type { DeprecatedKeys } from './mutate/mutate.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const DEPRECATED_KEYS = ['auto', 'replace', 'keep'] as const satisfies readonly DeprecatedKeys[];

/** The configuration of the webhook, from its checked flags. */
export interface WebhookConfig {
  readonly listen: ServerAddress;
  readonly probes: ServerAddress;
  readonly certificate: PairFiles;
  /** The clients that may send reviews; all clients if undefined. */
  readonly clients?: ClientsConfig;
  /** The file of the connection to the API server. If undefined, the process uses the service account of its pod. */
  readonly kubeconfig?: string;
  readonly deprecatedKeys: DeprecatedKeys;
  readonly warnOnly: boolean;
  /** True if a request fails when a rule cannot be evaluated. If false, the webhook may skip hygiene rules. */
  readonly strict: boolean;
  /** The ids of load balancers that no Service may reuse, even if the inventory lacks them. */
  readonly protectedLoadBalancers: ReadonlySet<string>;
  /** The time for which the process serves requests after the stop signal, in milliseconds. */
  readonly drainMs: number;
  /** The maximum time for which readiness waits until the caches are filled, in milliseconds. */
  readonly cacheSyncMs: number;
  /** The maximum number of reviews that wait for a decision. */
  readonly maxInFlight: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

const number = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, `expected a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `expected a whole number from ${min} to ${max}`);

const port = number(0, 65_535);

function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, {
    error: ({ input }) => {
      const near = nearest(String(input), values);
      return `expected one of ${values.join(', ')}${near === undefined ? '' : ` (did you mean ${near}?)`}`;
    },
  });
}

/** Reads an address as Kubernetes components write it: `host:port`, `[host]:port` or `:port`. */
const address = z.string().transform((text, context): ServerAddress => {
  const [, bracketed, bare, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const checked = port.safeParse(digits ?? '');
  if (checked.success) return { host: bracketed ?? bare ?? '', port: checked.data };
  context.addIssue({ code: 'custom', message: 'expected an address such as :10259 or 127.0.0.1:10259' });
  return z.NEVER;
});

const ids = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== ''),
  )
  .refine(
    (all) => all.every((id) => /^lb-[a-z0-9]+$/.test(id)),
    'expected comma-separated ids such as lb-bp1hfycf39bbeb019pg7m',
  );

const names = z.string().transform(
  (text) =>
    new Set(
      text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    ),
);

/** The schema of the flags, with the names in camel case that `commander` creates. */
export const Flags = z.object({
  port,
  bindAddress: z.union([z.literal(''), z.ipv4(), z.ipv6()], 'expected an IP address of this machine'),
  tlsCertDir: z.string().min(1, 'expected a folder'),
  tlsCertFile: z.string().min(1, 'expected a file').optional(),
  tlsPrivateKeyFile: z.string().min(1, 'expected a file').optional(),
  clientCaFile: z.string().min(1, 'expected a file').optional(),
  clientNames: names,
  kubeconfig: z.string().min(1, 'expected a file').optional(),
  healthProbeBindAddr: address,
  probePort: port.optional(),
  deprecatedKeys: oneOf(DEPRECATED_KEYS),
  warnOnly: z.boolean(),
  strict: z.boolean(),
  protectedLoadBalancers: ids,
  drainSeconds: number(0, 600),
  cacheSyncSeconds: number(0, 600),
  maxInFlight: number(1, 100_000),
  logLevel: oneOf(LOG_LEVELS),
});

const flagOf = (path: readonly PropertyKey[]): string =>
  `--${String(path[0] ?? '').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Reads the flags, before the webhook starts. Throws one `InvalidConfiguration` that names every wrong flag. */
export function readConfig(flags: Readonly<Record<string, unknown>>): WebhookConfig {
  const result = Flags.safeParse(flags);
  const problems = (result.error?.issues ?? []).map(
    ({ path, message }) => `${flagOf(path)} ${JSON.stringify(flags[String(path[0])])}: ${message}`,
  );
  if ((flags['tlsCertFile'] === undefined) !== (flags['tlsPrivateKeyFile'] === undefined)) {
    problems.push('--tls-cert-file and --tls-private-key-file: set both, or set only --tls-cert-dir');
  }
  if ((flags['clientNames'] ?? '') !== '' && flags['clientCaFile'] === undefined) {
    problems.push('--client-names: requires --client-ca-file');
  }
  if (!result.success || problems.length > 0) throw new PortcullisError('InvalidConfiguration', problems.join('; '));
  return configOf(result.data);
}

function configOf(flags: z.output<typeof Flags>): WebhookConfig {
  return {
    listen: { host: flags.bindAddress, port: flags.port },
    probes: { ...flags.healthProbeBindAddr, ...(flags.probePort === undefined ? {} : { port: flags.probePort }) },
    certificate: {
      certFile: flags.tlsCertFile ?? join(flags.tlsCertDir, 'tls.crt'),
      keyFile: flags.tlsPrivateKeyFile ?? join(flags.tlsCertDir, 'tls.key'),
    },
    ...(flags.clientCaFile === undefined ? {} : { clients: { caFile: flags.clientCaFile, names: flags.clientNames } }),
    ...(flags.kubeconfig === undefined ? {} : { kubeconfig: flags.kubeconfig }),
    deprecatedKeys: flags.deprecatedKeys,
    warnOnly: flags.warnOnly,
    strict: flags.strict,
    protectedLoadBalancers: new Set(flags.protectedLoadBalancers),
    drainMs: flags.drainSeconds * 1_000,
    cacheSyncMs: flags.cacheSyncSeconds * 1_000,
    maxInFlight: flags.maxInFlight,
    logLevel: flags.logLevel,
  };
}
