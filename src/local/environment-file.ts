import { join } from 'node:path';
import { CLOUD, type SeedAccessKey } from './seed.ts';
import { NETWORK } from './control-plane.ts';
import { partKubeconfig } from './sandbox-files.ts';

/** The paths, the address and the access key in the `environment` file. */
export interface EnvironmentFacts {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly cloudConfig: string;
  /** The address of the simulator: `http://127.0.0.1:port`. */
  readonly simulatorUrl: string;
  readonly accessKey: SeedAccessKey;
}

/** Returns the variables of a sandbox's `environment` file, except `PATH`. `make up` also records the variables for the demo and tests. */
export function sandboxEnvironment(facts: EnvironmentFacts): Readonly<Record<string, string>> {
  const { host } = new URL(facts.simulatorUrl);
  return {
    KUBECONFIG: facts.kubeconfig,
    // kubectl caches API discovery by address. An earlier sandbox may have had this address, so each sandbox has its own cache.
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

/** Returns a text as a quoted word for POSIX shells. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the text of the `environment` file, which users load with `.` in a POSIX shell. A second load has no further effect. */
export function environmentText(bin: string, variables: Readonly<Record<string, string>>): string {
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`);
  const path = [`case ":$PATH:" in *:${quoted(bin)}:*) ;; *) export PATH=${quoted(bin)}:"$PATH" ;; esac`];
  return `${[...path, ...exports].join('\n')}\n`;
}
