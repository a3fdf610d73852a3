import type { AppParts } from './app.ts';
import type { LocatedConfig } from '../base/cloud-config.ts';
import type { ControllerConfig } from '../controller/config-from-flags.ts';
import { leaseTarget, nodeSettings, routeOptions } from '../controller/node-and-route-settings.ts';
import { settingsOf } from './cloud-connection.ts';

/** The settings of the controllers that users choose with flags and the cloud-config. */
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

/** Returns the settings of the controllers. Runs again after each change of the cloud-config file. */
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
