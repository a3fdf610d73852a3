import type { Command } from 'commander';
import { readControllerConfig, type ConfigInput } from '../controller/config-from-flags.ts';
import type { PlanRequest } from './plan-dependencies.ts';

/** The flags of the commands that read the cluster and the cloud, such as `plan` and `graph`. */
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

/** Adds the flags to a command. `namespace` is the help text of the flag `--namespace`. */
export const withAccessFlags = (command: Command, namespace: string): Command =>
  command
    // Not `requiredOption`, so that commander reports a misspelled flag first. `readControllerConfig` requires the flag.
    .option('--cloud-config <file>', 'cloud-config file of the controller; required')
    .option('--kubeconfig <file>', 'kubeconfig of the cluster; if absent, the kubeconfig of kubectl')
    .option('--context <name>', 'context of the kubeconfig; if absent, the current context')
    .option('-n, --namespace <name>', namespace)
    .option('--network <vpc|public>', 'endpoints of the cloud', 'public')
    .option('--access-key-dir <folder>', 'folder with the files access-key-id and access-key-secret')
    .option('--protected-load-balancers <ids>', 'comma-separated ids of load balancers that no Service may use', '')
    .option('--warn-only', 'also plan Services that policies or tunable rules deny');

/** Returns the flags that the controller has too, for the parser of the controller's flags. */
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

/** Returns the access to cluster and cloud that the flags describe. Throws `InvalidConfiguration` if a flag is wrong. */
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
