import type { LocatedConfig } from '../base/cloud-config.ts';
import { PortcullisError } from '../base/errors.ts';
import type { NodeSettings } from '../node/settings.ts';
import type { RouteSettings } from '../route/settings.ts';
import type { ControllerConfig } from './config.ts';
import type { EventTarget } from './port.ts';

/** How routes are made. */
export interface RouteOptions extends RouteSettings {
  /** Empty for the only table of the VPC. */
  readonly tableIds: readonly string[];
  /** Milliseconds after which tables are read again although nothing has happened. */
  readonly auditMs: number;
  /** What is told of all routes is told of this. */
  readonly target: EventTarget;
}

/** What is told of the process, or of all objects of a kind, is told of the Lease: it is the one thing that all replicas share. */
export function leaseTarget({ election }: Pick<ControllerConfig, 'election'>): EventTarget {
  const { namespace, name } = election?.lease ?? { namespace: 'kube-system', name: 'ccm' };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name, uid: '' };
}

export const nodeSettings = (config: ControllerConfig, cloudConfig: LocatedConfig): NodeSettings => ({
  regionId: cloudConfig.regionId,
  vpcId: cloudConfig.vpcId ?? '',
  // Whoever makes them: this process, another one, or another controller of routes.
  routes: config.routes !== undefined,
  ipv6: cloudConfig.featureGates.IPv6DualStack,
  sourceDestCheck: config.sourceDestCheck,
  providerIdForm: config.providerIdForm,
  removalGraceMs: config.removalGraceMs,
});

/** Absent where no routes are made. */
export const routeOptions = (config: ControllerConfig, cloudConfig: LocatedConfig): RouteOptions | undefined =>
  config.routes && {
    regionId: cloudConfig.regionId,
    clusterId: cloudConfig.clusterId,
    clusterCidrs: config.routes.clusterCidrs,
    tableIds: cloudConfig.routeTableIds,
    auditMs: config.routes.auditMs,
    target: leaseTarget(config),
  };

/** Nodes are looked for, and routes made, in one VPC; in none they would be in all of the region. Throws `InvalidConfiguration`. */
export function requireVpc(
  { controllers, routes, cloudConfig: path }: ControllerConfig,
  { vpcId }: LocatedConfig,
): void {
  const needing = (['node', 'route'] as const).filter(
    (name) => controllers.has(name) && (name === 'node' || routes !== undefined),
  );
  if (vpcId !== undefined || needing.length === 0) return;
  throw new PortcullisError(
    'InvalidConfiguration',
    `cloud-config file ${path}: Global.vpcid is missing, but required by ${needing.join(' and ')}; set the key, or run only the Service controller with --controllers=service`,
  );
}
