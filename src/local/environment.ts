import { join } from 'node:path';
import { CLOUD, type SeedAccessKey } from './seed.ts';
import { NETWORK } from './control-plane.ts';
import { partKubeconfig } from './sandbox-files.ts';

export interface EnvironmentFacts {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly cloudConfig: string;
  /** The address of the simulator: `http://127.0.0.1:port`. */
  readonly simulatorUrl: string;
  readonly accessKey: SeedAccessKey;
}

/**
 * Returns the variables of a sandbox's environment, except `PATH`: those that the existing controller and similar programs read, and those for tests.
 */
export function sandboxEnvironment(facts: EnvironmentFacts): Readonly<Record<string, string>> {
  const { host } = new URL(facts.simulatorUrl);
  return {
    KUBECONFIG: facts.kubeconfig,
    // Without the variable kubectl caches API discovery by address, which may have belonged to another sandbox.
    KUBECACHEDIR: join(facts.folder, 'kubectl-cache'),
    CONTROLLER_KUBECONFIG: partKubeconfig(facts.folder, 'controller'),
    WEBHOOK_KUBECONFIG: partKubeconfig(facts.folder, 'webhook'),
    CLOUD_CONFIG: facts.cloudConfig,
    REGION_ID: CLOUD.regionId,
    VPC_ID: CLOUD.vpcId,
    CLUSTER_ID: CLOUD.clusterId,
    CLUSTER_CIDR: NETWORK.pods,
    ACCESS_KEY_ID: facts.accessKey.id,
    ACCESS_KEY_SECRET: facts.accessKey.secret,
    METADATA_ENDPOINT: facts.simulatorUrl,
    SLB_ENDPOINT: host,
    VPC_ENDPOINT: host,
    ECS_ENDPOINT: host,
    STS_ENDPOINT: host,
    ALICLOUD_CLIENT_SCHEME: 'HTTP',
    SIMULATOR_URL: facts.simulatorUrl,
  };
}

/** Quotes a text as one word for POSIX shells. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns a file for `source` in POSIX shells. Sourcing it twice has no further effect. */
export function environmentText(bin: string, variables: Readonly<Record<string, string>>): string {
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`);
  const path = [`case ":$PATH:" in *:${quoted(bin)}:*) ;; *) export PATH=${quoted(bin)}:"$PATH" ;; esac`];
  return `${[...path, ...exports].join('\n')}\n`;
}
