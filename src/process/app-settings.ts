import type { AppParts } from './app.ts';
import type { LocatedConfig } from '../base/cloud-config.ts';
import type { ControllerConfig } from '../controller/config.ts';
import { leaseTarget, nodeSettings, routeOptions } from '../controller/from-config.ts';
import { settingsOf } from './reach-cloud.ts';

/** What of the controllers' parts comes from people. */
export type AppSettings = Pick<
  AppParts,
  | 'settings'
  | 'clusterCidrs'
  | 'regionId'
  | 'protectedIds'
  | 'warnOnly'
  | 'controllers'
  | 'serviceWorkers'
  | 'nodes'
  | 'target'
  | 'routes'
>;

/** How the controllers are to run, as the flags and the cloud-config file say it. */
export function appSettings(config: ControllerConfig, cloudConfig: LocatedConfig): AppSettings {
  const routes = routeOptions(config, cloudConfig);
  return {
    settings: settingsOf(cloudConfig),
    clusterCidrs: config.clusterCidrs,
    regionId: cloudConfig.regionId,
    protectedIds: config.protectedLoadBalancers,
    warnOnly: config.warnOnly,
    controllers: config.controllers,
    serviceWorkers: config.serviceWorkers ?? cloudConfig.serviceWorkers,
    nodes: nodeSettings(config, cloudConfig),
    target: leaseTarget(config),
    ...(routes === undefined ? {} : { routes }),
  };
}
