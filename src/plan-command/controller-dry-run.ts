import type { ControllerConfig } from '../controller/config-from-flags.ts';
import { rootLogger } from '../base/log.ts';
import { serviceJson } from './plan-json.ts';
import { exitCodeOf, summary } from './plan-summary.ts';
import { planAll } from './plan-all.ts';

/** Logs the plan of every Service, changes nothing, and takes no Lease. Returns the exit code. */
export async function dryRun(
  config: ControllerConfig,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const log = rootLogger(config.logLevel);
  for (const warning of config.warnings) log.warn(warning);
  const { kubeconfig } = config;
  const clusterAccess = kubeconfig === undefined ? {} : { kubeconfig };
  const signal = new AbortController().signal;
  const planned = await planAll({ config, ...clusterAccess, environment, log, signal });
  for (const each of planned) log.info(serviceJson(each), 'failure' in each ? 'planning failed' : 'planned');
  log.info(summary(planned));
  return exitCodeOf(planned);
}
