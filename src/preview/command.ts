import { Command, Option } from 'commander';
import { readControllerConfig, type Given } from '../controller/config.ts';
import { EXIT } from '../base/exit-code.ts';

interface Flags {
  readonly cloudConfig?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly recursive?: true;
  readonly network: string;
  readonly accessKeyDir?: string;
  readonly protectedLoadBalancers: string;
  readonly warnOnly?: boolean;
  readonly output: 'text' | 'json';
}

/** The flags that the controller has as well, so that both read them alike. */
const givenBy = ({ cloudConfig, network, accessKeyDir, protectedLoadBalancers, warnOnly = false }: Flags): Given =>
  new Map([
    ...(cloudConfig === undefined ? [] : [['cloud-config', cloudConfig] as const]),
    ['network', network],
    ['protected-load-balancers', protectedLoadBalancers],
    ['warn-only', String(warnOnly)],
    ...(accessKeyDir === undefined ? [] : [['access-key-dir', accessKeyDir] as const]),
  ]);

async function run(paths: readonly string[], flags: Flags, self: Command): Promise<void> {
  const { kubeconfig, context, namespace } = flags;
  const config = readControllerConfig(givenBy(flags));
  // The cloud's packages are loaded when there is something to do with them.
  const [{ previewAll }, { filesOf, readSource }, { rootLogger }, { exitCodeOf, planJson, summary, textReport }] =
    await Promise.all([
      import('./run.ts'),
      import('../lint/read-sources.ts'),
      import('../log.ts'),
      import('./report.ts'),
    ]);
  const sources = await Promise.all(
    (paths.length === 0 ? [] : filesOf(paths, flags.recursive === true)).map(readSource),
  );
  const planned = await previewAll({
    config,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(paths.length === 0 ? {} : { sources }),
    environment: process.env,
    log: rootLogger('silent'),
    signal: new AbortController().signal,
  });
  const terminal = self.configureOutput();
  const json = (): string => `${JSON.stringify({ services: planned.map(planJson) }, undefined, 2)}\n`;
  terminal.writeOut?.(flags.output === 'json' ? json() : textReport(planned));
  terminal.writeErr?.(`${summary(planned)}\n`);
  // What there is to say has been said.
  const code = exitCodeOf(planned);
  if (code !== EXIT.fine) self.error('', { exitCode: code });
}

/** `portcullis plan`. */
export function command(): Command {
  return (
    new Command('plan')
      .description('print what would be asked of the cloud for Services, and change nothing')
      .argument(
        '[FILES...]',
        'files with Services, folders, or - for standard input; all Services of the cluster when absent',
      )
      // Asked for by the configuration, after commander has looked at all the options: a misspelt one is told as such.
      .option('--cloud-config <file>', "the controller's cloud-config file; required")
      .option('--kubeconfig <file>', 'how to reach the cluster; found as kubectl finds it when absent')
      .option('--context <name>', 'the context of the kubeconfig; its current one when absent')
      .option('-n, --namespace <name>', 'of objects that name none; that of the context when absent')
      .option('-R, --recursive', 'look into the folders of a folder, too')
      .option('--network <vpc|public>', 'which endpoints of the cloud to use', 'public')
      .option('--access-key-dir <folder>', 'folder with access-key-id and access-key-secret')
      .option('--protected-load-balancers <ids>', 'load balancers that no Service may use, joined by commas', '')
      .option('--warn-only', 'plan for what rules and policies refuse, but for those that protect others')
      .addOption(new Option('-o, --output <format>', 'how to print the plan').choices(['text', 'json']).default('text'))
      .addHelpText(
        'after',
        '\nExit codes: 0 no Service is denied, 1 a Service is denied, 2 planning failed for a Service.',
      )
      .action(run)
  );
}
