import type { CloudConfig, LocatedConfig } from '../base/cloud-config.ts';
import { messageOf, PortcullisError } from '../base/errors.ts';
import type { Metadata } from './metadata.ts';

export interface LocationParts {
  /** The path of the cloud-config file, for messages. */
  readonly path: string;
  readonly metadata: Metadata;
  readonly warn: (message: string) => void;
}

/** Completes a cloud-config with the region, VPC and vSwitch of this machine. Rejects with `InvalidConfiguration` if the region is unknown. */
export async function locate(
  config: CloudConfig,
  { path, metadata, warn }: LocationParts,
  signal: AbortSignal,
): Promise<LocatedConfig> {
  const { regionId, vpcId, vSwitches } = config;
  if (regionId !== undefined && vpcId !== undefined && vSwitches.length > 0) return { ...config, regionId };
  const lacking = lackingIn(config);
  let region = regionId;
  try {
    const here = await metadata.read('region-id', signal);
    region ??= here;
    if (region === undefined) throw new Error('the metadata contain no region');
    if (here !== region) {
      warn(
        `cloud-config: ${lacking} must be set: this machine is in region ${here ?? 'unknown'} and Global.region is ${region}, so its metadata cannot replace the missing values`,
      );
      return { ...config, regionId: region };
    }
    return { ...(await withMachineLocation(config, metadata, signal)), regionId: region };
  } catch (error) {
    signal.throwIfAborted();
    if (region === undefined) throw unknownRegion(path, error);
    warn(
      `cloud-config: ${lacking} must be set: the metadata of this machine cannot replace the missing values (${messageOf(error)})`,
    );
    return { ...config, regionId: region };
  }
}

const lackingIn = ({ vpcId, vSwitches }: CloudConfig): string =>
  [...(vpcId === undefined ? ['Global.vpcid'] : []), ...(vSwitches.length === 0 ? ['Global.vswitchid'] : [])].join(
    ' and ',
  );

/** Adds the missing VPC and vSwitch. Uses the vSwitch of this machine only if the machine is in the configured VPC. */
async function withMachineLocation(config: CloudConfig, metadata: Metadata, signal: AbortSignal): Promise<CloudConfig> {
  if (config.vpcId !== undefined && config.vSwitches.length > 0) return config;
  const ownVpc = await metadata.read('vpc-id', signal);
  const vpcId = config.vpcId ?? ownVpc;
  if (vpcId === undefined) return config;
  const vSwitchId =
    config.vSwitches.length === 0 && vpcId === ownVpc ? await metadata.read('vswitch-id', signal) : undefined;
  return { ...config, vpcId, ...(vSwitchId === undefined ? {} : { vSwitches: [{ vSwitchId }] }) };
}

const unknownRegion = (path: string, error: unknown): PortcullisError =>
  new PortcullisError(
    'InvalidConfiguration',
    `cloud-config file ${path}: Global.region is not set, and the metadata of this machine cannot replace the value (${messageOf(error)}): set Global.region, such as cn-hangzhou, with Global.vpcid and Global.vswitchid`,
  );
