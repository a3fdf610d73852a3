import { join } from 'node:path';
import { CLOUD, type AccessKey } from './seed.ts';
import { NETWORK } from './control-plane.ts';
import { partKubeconfig } from './sandbox-files.ts';

export interface EnvironmentFacts {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly cloudConfig: string;
  /** `http://127.0.0.1:port`. */
  readonly simulatorUrl: string;
  readonly accessKey: AccessKey;
}

/** The variables of a sandbox's environment, but for `PATH`: what programs of the existing controller's kind read, and what tests need. */
export function sandboxEnvironment(facts: EnvironmentFacts): Readonly<Record<string, string>> {
  const { host } = new URL(facts.simulatorUrl);
  return {
    KUBECONFIG: facts.kubeconfig,
    // By default kubectl remembers what a server serves by its address, which another sandbox's server has had.
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

/** One word for any POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A file to be sourced by any POSIX shell. Sourcing it again changes nothing. */
export function environmentText(bin: string, variables: Readonly<Record<string, string>>): string {
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`);
  const path = [`case ":$PATH:" in *:${quoted(bin)}:*) ;; *) export PATH=${quoted(bin)}:"$PATH" ;; esac`];
  return `${[...path, ...exports].join('\n')}\n`;
}
