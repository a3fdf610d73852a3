import type { ControllerConfig } from '../controller/config.ts';
import { PortcullisError } from '../errors.ts';
import { rootLogger } from '../log.ts';
import { planJson, summary } from './report.ts';
import { previewAll } from './run.ts';

/**
 * The controller process where it is to change nothing: it takes no Lease, logs what it would ask of the cloud for every Service, a
 * line each, and ends. Rejects `Unavailable` at the end when some Service could not be planned for.
 */
export async function dryRun(
  config: ControllerConfig,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const log = rootLogger(config.logLevel);
  for (const warning of config.warnings) log.warn(warning);
  const { kubeconfig } = config;
  const said = kubeconfig === undefined ? {} : { kubeconfig };
  const signal = new AbortController().signal;
  const planned = await previewAll({ config, ...said, environment, log, signal });
  for (const each of planned) log.info(planJson(each), 'failure' in each ? 'could not be planned for' : 'planned');
  log.info(summary(planned));
  if (planned.some((each) => 'failure' in each))
    throw new PortcullisError('Unavailable', `the dry run is not complete: ${summary(planned)}`);
}
