import { createCloud, userAgents, type Cloud, type CloudParts } from './alibaba/cloud.ts';
import { createCredentials, fromCloudConfig, fromEnvironment, fromSecretFiles } from './alibaba/credentials.ts';
import { createEndpoints } from './alibaba/endpoints.ts';
import { createCloudMetrics } from './alibaba/metrics.ts';
import { createTransport } from './alibaba/transport.ts';
import type { AppParts } from './app.ts';
import type { ClusterSettings } from './clb/settings.ts';
import type { CloudConfig } from './config.ts';
import type { ControllerConfig } from './controller/config.ts';
import { PortcullisError } from './errors.ts';
import { VERSION } from './version.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The cloud with the credentials that flags, files and environment name. Rejects `InvalidConfiguration` or `Unauthorized`. */
export async function reachCloud(
  config: Pick<ControllerConfig, 'cloudConfig' | 'accessKeyFolder' | 'network'>,
  cloudConfig: CloudConfig,
  environment: Environment,
  { log, ...base }: Pick<AppParts, 'clock' | 'log' | 'registry'> & Pick<CloudParts, 'guard' | 'isReadOnly'>,
): Promise<Cloud> {
  const regionId = regionOf(cloudConfig, config);
  const sources = [
    fromCloudConfig(config.cloudConfig),
    ...(config.accessKeyFolder === undefined ? [] : [fromSecretFiles(config.accessKeyFolder)]),
    ...fromEnvironment(environment),
  ];
  const credentials = createCredentials(sources, (message) => log.warn(message));
  await credentials.current();
  const shared = {
    regionId,
    credentials,
    endpoints: createEndpoints({ regionId, network: config.network, environment }),
  };
  const agents = userAgents(VERSION, cloudConfig.clusterId);
  return createCloud({
    regionId,
    transport: createTransport({ ...shared, userAgent: agents.controllers }),
    inventoryTransport: createTransport({ ...shared, userAgent: agents.inventory }),
    ...base,
    log,
    metrics: createCloudMetrics(base.registry),
    secrets: () => credentials.secrets(),
  });
}

/** Rejects `InvalidConfiguration` when the file names no region. */
export function regionOf({ regionId }: CloudConfig, { cloudConfig }: Pick<ControllerConfig, 'cloudConfig'>): string {
  if (regionId !== undefined) return regionId;
  throw new PortcullisError(
    'InvalidConfiguration',
    `cloud-config file ${cloudConfig}: Global.region is missing: set it to the cluster's region, such as cn-hangzhou`,
  );
}

/** What the CLB slice has to know of the cluster, from the cloud-config file. */
export function settingsOf(cloudConfig: CloudConfig): ClusterSettings {
  const { clusterId, vpcId = '', resourceGroupId = '', backendType, disablePublicSLB, featureGates } = cloudConfig;
  return {
    clusterId,
    vpcId,
    vSwitchIds: cloudConfig.vSwitches.map(({ vSwitchId }) => vSwitchId),
    resourceGroupId,
    backendType,
    disablePublicSLB,
    // Endpoints know one family only.
    ipv6DualStack: featureGates.IPv6DualStack && featureGates.EndpointSlice,
  };
}
