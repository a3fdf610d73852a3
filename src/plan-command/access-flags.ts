import type { Command } from 'commander';
import { readControllerConfig, type ConfigInput } from '../controller/config.ts';
import type { PlanRequest } from './prepare.ts';

/** The flags of commands that read the cluster and the cloud. */
export interface AccessFlags {
  readonly cloudConfig?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly network: string;
  readonly accessKeyDir?: string;
  readonly protectedLoadBalancers: string;
  readonly warnOnly?: boolean;
}

/** Adds the flags to a command. `namespace` describes the flag of that name. */
export const withAccessFlags = (command: Command, namespace: string): Command =>
  command
    // The configuration requires the flag, after commander has checked all flags, so that a misspelt flag gets its own message.
    .option('--cloud-config <file>', 'cloud-config file of the controller; required')
    .option('--kubeconfig <file>', 'kubeconfig of the cluster; if absent, the kubeconfig of kubectl')
    .option('--context <name>', 'context of the kubeconfig; if absent, the current context')
    .option('-n, --namespace <name>', namespace)
    .option('--network <vpc|public>', 'endpoints of the cloud', 'public')
    .option('--access-key-dir <folder>', 'folder with the files access-key-id and access-key-secret')
    .option('--protected-load-balancers <ids>', 'comma-separated ids of load balancers that no Service may use', '')
    .option('--warn-only', 'plan also what rules and policies deny, except for safety rules');

/** Returns the flags that the controller also has, so that both parse them alike. */
const controllerFlags = ({
  cloudConfig,
  network,
  accessKeyDir,
  protectedLoadBalancers,
  warnOnly = false,
}: AccessFlags): ConfigInput =>
  new Map([
    ...(cloudConfig === undefined ? [] : [['cloud-config', cloudConfig] as const]),
    ['network', network],
    ['protected-load-balancers', protectedLoadBalancers],
    ['warn-only', String(warnOnly)],
    ...(accessKeyDir === undefined ? [] : [['access-key-dir', accessKeyDir] as const]),
  ]);

/** Returns the access that the flags describe. Throws `InvalidConfiguration`. */
export function accessBy(flags: AccessFlags): Omit<PlanRequest, 'log'> {
  const { kubeconfig, context, namespace } = flags;
  return {
    config: readControllerConfig(controllerFlags(flags)),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    ...(namespace === undefined ? {} : { namespace }),
    environment: process.env,
    signal: new AbortController().signal,
  };
}
