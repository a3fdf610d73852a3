import { readFile } from 'node:fs/promises';
import { LineCounter, parseDocument } from 'yaml';
import { NO_CLUSTER_ID } from './default-cluster-id.ts';
import {
  CLOUD_CONFIG,
  GLOBAL,
  didYouMean,
  type FeatureGates,
  type Global,
  type VSwitchChoice,
} from './cloud-config-schema.ts';
import { PortcullisError, messageOf } from './errors.ts';

/** The settings of the cloud-config file, without credentials. The metadata of the ECS instance may supply missing values. */
export interface CloudConfig {
  /** The id of the cluster in names and tags of load balancers. Default: `clusterid`, as in the Alibaba Cloud Controller Manager. */
  readonly clusterId: string;
  readonly regionId?: string;
  readonly vpcId?: string;
  readonly vSwitches: readonly VSwitchChoice[];
  /** The resource group of load balancers that the controller creates. */
  readonly resourceGroupId?: string;
  /** The route tables to manage. If empty, the controller manages the only route table of the VPC. */
  readonly routeTableIds: readonly string[];
  readonly disablePublicSLB: boolean;
  readonly backendType: 'ecs' | 'eni';
  /** The number of Services that are reconciled at a time. */
  readonly serviceWorkers: number;
  readonly featureGates: FeatureGates;
}

/** A cloud-config whose region is known. VPC and vSwitches may still be missing. */
export type LocatedConfig = CloudConfig & { readonly regionId: string };

/** The content of a cloud-config file. */
export interface CloudConfigFile {
  readonly config: CloudConfig;
  /** The decoded access key, which must never be logged. Undefined if the file holds no key. */
  readonly accessKey?: { readonly id: string; readonly secret: string };
  /** Warnings about keys that have no effect. */
  readonly warnings: readonly string[];
}

const WATCHED = 'Nodes are reconciled when they change, and all Nodes every five minutes';
const NO_EFFECT: readonly { readonly key: keyof Global; readonly why: string }[] = [
  { key: 'uid', why: 'access keys are used directly and are not exchanged for a role' },
  { key: 'kubernetesClusterTag', why: 'the controller finds the instance of a Node without a tag' },
  { key: 'zoneid', why: 'the controller uses the vSwitches of vswitchid in their order' },
  { key: 'nodeMonitorPeriod', why: WATCHED },
  { key: 'nodeAddrSyncPeriod', why: WATCHED },
  { key: 'nodeMaxConcurrentReconciles', why: 'Nodes are reconciled in parallel' },
  { key: 'routeMaxConcurrentReconciles', why: 'the cloud accepts one change of routes at a time' },
  { key: 'privateZoneId', why: 'Portcullis has no private DNS controller' },
  { key: 'privateZoneRecordTTL', why: 'Portcullis has no private DNS controller' },
];

/** Feature gates that have no effect in Portcullis, with the reason. */
const NO_GATE: readonly { readonly gate: keyof FeatureGates; readonly why: string }[] = [
  { gate: 'FilterServiceOnNodeChange', why: 'a Service whose Nodes have not changed causes no cloud call' },
  { gate: 'LoadBalancerTypeAnnotation', why: 'Portcullis manages only Classic Load Balancers' },
];

/** Parses a cloud-config file, and throws one `InvalidConfiguration` with all problems. The message contains no credentials. */
export function parseCloudConfig(content: string, name: string): CloudConfigFile {
  const problems: string[] = [];
  const found = globalOf(document(content, name), problems);
  const result = CLOUD_CONFIG.safeParse({ Global: found });
  if (result.error !== undefined) {
    problems.push(...result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  }
  const { accessKeyID: keyId, accessKeySecret: secret } = found;
  if ((keyId === undefined) !== (secret === undefined)) {
    const [has, lacks] = keyId === undefined ? ['accessKeySecret', 'accessKeyID'] : ['accessKeyID', 'accessKeySecret'];
    problems.push(`Global.${has} is set and ${lacks} is not: set both or neither`);
  }
  if (problems.length > 0 || result.data === undefined) {
    throw new PortcullisError('InvalidConfiguration', `cloud-config file ${name}: ${problems.join('; ')}`);
  }
  return fileOf(result.data.Global);
}

/** Reads and parses a cloud-config file. Runs at the start of the controller and of `portcullis plan`, and after each change of the file. */
export async function readCloudConfig(path: string): Promise<CloudConfigFile> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    const what =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'file not found' : messageOf(error);
    throw new PortcullisError(
      'InvalidConfiguration',
      `cloud-config file ${path}: ${what}; set the path with --cloud-config`,
    );
  }
  return parseCloudConfig(content, path);
}

/** Returns the default backend type of the cluster. Throws `InvalidConfiguration` if `SERVICE_FORCE_BACKEND_ENI` is invalid. */
export function backendTypeOf(
  config: Pick<CloudConfig, 'backendType'>,
  environment: Readonly<Record<string, string | undefined>>,
): CloudConfig['backendType'] {
  const forced = environment['SERVICE_FORCE_BACKEND_ENI']?.trim().toLowerCase() ?? '';
  // As in the Alibaba Cloud Controller Manager, the variable overrides the file.
  if (forced === '') return config.backendType;
  if (forced === 'true') return 'eni';
  if (forced === 'false') return 'ecs';
  throw new PortcullisError(
    'InvalidConfiguration',
    `SERVICE_FORCE_BACKEND_ENI is "${forced}": set true or false, or unset the variable`,
  );
}

function document(content: string, name: string): unknown {
  const lines = new LineCounter();
  // Pretty errors quote lines of the file, which may contain an access key.
  const parsed = parseDocument(content, { lineCounter: lines, prettyErrors: false });
  const [syntaxError] = parsed.errors;
  if (syntaxError === undefined) return parsed.toJS();
  const { line, col } = lines.linePos(syntaxError.pos[0]);
  throw new PortcullisError(
    'InvalidConfiguration',
    `cloud-config file ${name}: line ${line}, column ${col}: must be JSON or YAML (${syntaxError.code})`,
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the object under `Global`, with its keys in the spelling of the schema. Adds unknown and repeated keys to `problems`. */
function globalOf(root: unknown, problems: string[]): Readonly<Record<string, unknown>> {
  const entries = isObject(root) ? Object.entries(root) : [];
  const [, global] = entries.find(([key]) => key.toLowerCase() === 'global') ?? [];
  for (const [key] of entries) {
    if (key !== '$schema' && key.toLowerCase() !== 'global')
      problems.push(`unknown key ${key}: all keys belong under Global`);
  }
  if (!isObject(global)) {
    problems.push('Global must be set to an object');
    return {};
  }
  return respelled(global, problems);
}

function respelled(global: Readonly<Record<string, unknown>>, problems: string[]): Readonly<Record<string, unknown>> {
  const known = new Map(Object.keys(GLOBAL.shape).map((key) => [key.toLowerCase(), key]));
  const found: Record<string, unknown> = {};
  for (const [written, value] of Object.entries(global)) {
    const key = known.get(written.toLowerCase());
    if (key === undefined) problems.push(`unknown key Global.${written}${didYouMean(written, known.values())}`);
    else if (key in found) problems.push(`Global.${written} is set twice, in different case`);
    else if (value !== null && value !== '') found[key] = value;
  }
  return found;
}

/** The warning about a missing cluster id. */
export const CLUSTER_ID_WARNING = `cloud-config: Global.clusterID is not set. Names and tags contain the placeholder "${NO_CLUSTER_ID}" instead, so clusters without an id cannot be distinguished on load balancers that they share. Set the id of the cluster; the change takes effect at once, and Services keep their load balancers`;

function fileOf(global: Global): CloudConfigFile {
  const { accessKeyID, accessKeySecret } = global;
  const config: CloudConfig = {
    clusterId: global.clusterID,
    vSwitches: global.vswitchid,
    routeTableIds: global.routeTableIDs,
    disablePublicSLB: global.disablePublicSLB,
    backendType: global.serviceBackendType,
    serviceWorkers: global.serviceMaxConcurrentReconciles,
    featureGates: global.featureGates,
    ...(global.region === undefined ? {} : { regionId: global.region }),
    ...(global.vpcid === undefined ? {} : { vpcId: global.vpcid }),
    ...(global.resourceGroupID === undefined ? {} : { resourceGroupId: global.resourceGroupID }),
  };
  const warnings = [
    ...(global.clusterID === NO_CLUSTER_ID ? [CLUSTER_ID_WARNING] : []),
    ...NO_EFFECT.filter(({ key }) => global[key] !== undefined).map(
      ({ key, why }) => `cloud-config: Global.${key} has no effect: ${why}`,
    ),
    ...NO_GATE.filter(({ gate }) => global.featureGates[gate]).map(
      ({ gate, why }) => `cloud-config: feature gate ${gate} has no effect: ${why}`,
    ),
  ];
  return accessKeyID === undefined || accessKeySecret === undefined
    ? { config, warnings }
    : { config, warnings, accessKey: { id: accessKeyID, secret: accessKeySecret } };
}
