import type { LocatedConfig } from '../base/cloud-config.ts';
import { PortcullisError } from '../base/errors.ts';
import type { NodeSettings } from '../node/settings.ts';
import type { RouteSettings } from '../route/settings.ts';
import type { ControllerConfig } from './config-from-flags.ts';
import type { EventTarget } from './kubernetes-interface.ts';

/** The settings of the route controller. */
export interface RouteOptions extends RouteSettings {
  /** The ids of the route tables to manage. If empty, the VPC must have only one route table. */
  readonly tableIds: readonly string[];
  /** The interval between full reads of route tables, in milliseconds. */
  readonly auditMs: number;
  /** The object to which events about all routes are attached. */
  readonly target: EventTarget;
}

/** Returns the Lease, to which the controllers attach events about the process or about all objects of a kind. */
export function leaseTarget({ election }: Pick<ControllerConfig, 'election'>): EventTarget {
  const { namespace, name } = election?.lease ?? { namespace: 'kube-system', name: 'ccm' };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name, uid: '' };
}

/** Returns the settings of the node controller, from the flags and the cloud-config. */
export const nodeSettings = (config: ControllerConfig, cloudConfig: LocatedConfig): NodeSettings => ({
  regionId: cloudConfig.regionId,
  vpcId: cloudConfig.vpcId ?? '',
  // New Nodes wait for routes even if another process, or another route controller, creates the routes.
  routes: config.routes !== undefined,
  ipv6: cloudConfig.featureGates.IPv6DualStack,
  sourceDestCheck: config.sourceDestCheck,
  providerIdForm: config.providerIdForm,
  removalGraceMs: config.removalGraceMs,
});

/** Returns the settings of the route controller, from the flags and the cloud-config. Undefined if the flags request no routes. */
export const routeOptions = (config: ControllerConfig, cloudConfig: LocatedConfig): RouteOptions | undefined =>
  config.routes && {
    regionId: cloudConfig.regionId,
    clusterId: cloudConfig.clusterId,
    clusterCidrs: config.routes.clusterCidrs,
    tableIds: cloudConfig.routeTableIds,
    auditMs: config.routes.auditMs,
    target: leaseTarget(config),
  };

/** Throws `InvalidConfiguration` if Nodes or routes are managed and no VPC is configured. */
export function requireVpc(
  { controllers, routes, cloudConfig: path }: ControllerConfig,
  { vpcId }: LocatedConfig,
): void {
  const needing = (['node', 'route'] as const).filter(
    (name) => controllers.has(name) && (name === 'node' || routes !== undefined),
  );
  // Without a VPC, searches for instances would cover the whole region.
  if (vpcId !== undefined || needing.length === 0) return;
  throw new PortcullisError(
    'InvalidConfiguration',
    `cloud-config file ${path}: Global.vpcid is missing, but required by ${needing.map((name) => `"${name}"`).join(' and ')}; set the key, or run only the Service controller with --controllers=service`,
  );
}
