import { createCloud, userAgents, type CloudApis, type CloudParts } from '../alibaba/cloud.ts';
import { createCredentials } from '../alibaba/credentials/chain.ts';
import { credentialSources } from '../alibaba/credentials/sources.ts';
import { createEndpoints } from '../alibaba/endpoints.ts';
import { locate } from '../alibaba/machine-location.ts';
import { createMetadata, metadataEndpoint } from '../alibaba/metadata.ts';
import { createCloudMetrics } from '../alibaba/metrics.ts';
import { createTransport } from '../alibaba/sdk-transport.ts';
import type { AppParts } from './app.ts';
import type { ClusterSettings } from '../clb/model/cluster-settings.ts';
import type { CloudConfig, LocatedConfig } from '../base/cloud-config.ts';
import type { ControllerConfig } from '../controller/config-from-flags.ts';
import { VERSION } from '../version.ts';

type Environment = Readonly<Record<string, string | undefined>>;

type Base = Pick<AppParts, 'clock' | 'log' | 'registry'> & Pick<CloudParts, 'guard' | 'isReadOnly'>;

/** The flags that select the credentials and endpoints of the cloud. */
export type CloudFlags = Pick<
  ControllerConfig,
  'cloudConfig' | 'accessKeyFolder' | 'network' | 'tokenFile' | 'hasHardenedMetadata'
>;

/** The APIs of the cloud, and the configuration that was used to reach them. */
export interface ReachedCloud {
  readonly cloud: CloudApis;
  /** The configuration of the file, completed with the region, VPC and vSwitch of this machine. */
  readonly cloudConfig: LocatedConfig;
}

/** Connects to the cloud. Rejects with `InvalidConfiguration`, `Unauthorized` or `Unavailable` within seconds. */
export async function reachCloud(
  flags: CloudFlags,
  fileConfig: CloudConfig,
  environment: Environment,
  { log, ...base }: Base,
  signal: AbortSignal,
): Promise<ReachedCloud> {
  const warn = (message: string): void => log.warn(message);
  const metadata = createMetadata({
    endpoint: metadataEndpoint(environment),
    isHardened: flags.hasHardenedMetadata,
    clock: base.clock,
  });
  const cloudConfig = await locate(fileConfig, { path: flags.cloudConfig, metadata, warn }, signal);
  const { regionId } = cloudConfig;
  const endpoints = createEndpoints({ regionId, network: flags.network, environment });
  const agents = userAgents(VERSION, cloudConfig.clusterId);
  const sources = credentialSources({
    ...{ ...flags, environment, endpoints, metadata, userAgent: agents.controllers, clock: base.clock, signal },
  });
  const credentials = createCredentials(sources, { warn, clock: base.clock });
  await credentials.current();
  const shared = { regionId, credentials, endpoints };
  const cloud = createCloud({
    regionId,
    transport: createTransport({ ...shared, userAgent: agents.controllers }),
    inventoryTransport: createTransport({ ...shared, userAgent: agents.inventory }),
    ...base,
    log,
    metrics: createCloudMetrics(base.registry),
    secrets: () => credentials.secrets(),
  });
  return { cloud, cloudConfig };
}

/** The feature gates that IPv6 backends need. `EndpointSlice` is among these gates, because Endpoints have addresses of only one IP family. */
const IPV6_GATES = ['IPv6DualStack', 'EndpointSlice'] as const;

/** Returns the part of the cloud-config that the CLB code needs. */
export function settingsOf(cloudConfig: CloudConfig): ClusterSettings {
  const { clusterId, vpcId = '', resourceGroupId = '', backendType, disablePublicSLB, featureGates } = cloudConfig;
  return {
    clusterId,
    vpcId,
    vSwitchIds: cloudConfig.vSwitches.map(({ vSwitchId }) => vSwitchId),
    resourceGroupId,
    backendType,
    disablePublicSLB,
    disabledIpv6Gates: IPV6_GATES.filter((gate) => !featureGates[gate]),
  };
}
