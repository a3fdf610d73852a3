import { Command, Option } from 'commander';
import { readControllerConfig, type ConfigInput } from '../controller/config.ts';
import { EXIT } from '../base/exit-code.ts';
import { PortcullisError } from '../base/errors.ts';

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
  readonly orphans?: true;
  readonly output: 'text' | 'json';
}

/** Returns the flags that the controller also has, so that both parse them alike. */
const givenBy = ({
  cloudConfig,
  network,
  accessKeyDir,
  protectedLoadBalancers,
  warnOnly = false,
}: Flags): ConfigInput =>
  new Map([
    ...(cloudConfig === undefined ? [] : [['cloud-config', cloudConfig] as const]),
    ['network', network],
    ['protected-load-balancers', protectedLoadBalancers],
    ['warn-only', String(warnOnly)],
    ...(accessKeyDir === undefined ? [] : [['access-key-dir', accessKeyDir] as const]),
  ]);

/** The output and exit code of a command. */
interface Said {
  readonly text: () => string;
  readonly data: () => object;
  readonly summary: string;
  readonly code: number;
}

function print({ text, data, summary, code }: Said, { output }: Flags, self: Command): void {
  const terminal = self.configureOutput();
  terminal.writeOut?.(output === 'json' ? `${JSON.stringify(data(), undefined, 2)}\n` : text());
  terminal.writeErr?.(`${summary}\n`);
  // The output is already printed.
  if (code !== EXIT.fine) self.error('', { exitCode: code });
}

async function runOrphans(paths: readonly string[], flags: Flags): Promise<Said> {
  const { kubeconfig, context } = flags;
  if (paths.length > 0) throw new PortcullisError('InvalidConfiguration', '--orphans takes no files');
  const config = readControllerConfig(givenBy(flags));
  const [{ findAllOrphans }, { rootLogger }, report] = await Promise.all([
    import('./orphan-run.ts'),
    import('../base/log.ts'),
    import('./orphan-report.ts'),
  ]);
  const found = await findAllOrphans({
    config,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    environment: process.env,
    log: rootLogger('silent'),
    signal: new AbortController().signal,
  });
  return {
    text: () => report.orphanText(found),
    data: () => ({ orphans: found.map(report.orphanJson) }),
    summary: report.orphanSummary(found),
    code: report.orphanExitCode(found),
  };
}

async function runPlan(paths: readonly string[], flags: Flags): Promise<Said> {
  const { kubeconfig, context, namespace } = flags;
  const config = readControllerConfig(givenBy(flags));
  // The packages of the cloud are loaded only if they are needed.
  const [
    { planAll: previewAll },
    { filesOf, readSource },
    { rootLogger },
    { exitCodeOf, planJson, summary, textReport },
  ] = await Promise.all([
    import('./run.ts'),
    import('../lint/read-sources.ts'),
    import('../base/log.ts'),
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
  return {
    text: () => textReport(planned),
    data: () => ({ services: planned.map(planJson) }),
    summary: summary(planned),
    code: exitCodeOf(planned),
  };
}

async function run(paths: readonly string[], flags: Flags, self: Command): Promise<void> {
  print(await (flags.orphans === true ? runOrphans : runPlan)(paths, flags), flags, self);
}

/** Creates `portcullis plan`. */
export function command(): Command {
  return (
    new Command('plan')
      .description('print what would be asked of the cloud for Services, and change nothing')
      .argument(
        '[FILES...]',
        'files with Services, folders, or - for standard input; all Services of the cluster when absent',
      )
      // The configuration requires the flag, after commander has checked all flags, so that a misspelt flag gets its own message.
      .option('--cloud-config <file>', "the controller's cloud-config file; required")
      .option('--kubeconfig <file>', 'how to reach the cluster; found as kubectl finds it when absent')
      .option('--context <name>', 'the context of the kubeconfig; its current one when absent')
      .option('-n, --namespace <name>', 'of objects that name none; that of the context when absent')
      .option('-R, --recursive', 'look into the folders of a folder, too')
      .option('--network <vpc|public>', 'which endpoints of the cloud to use', 'public')
      .option('--access-key-dir <folder>', 'folder with access-key-id and access-key-secret')
      .option('--protected-load-balancers <ids>', 'load balancers that no Service may use, joined by commas', '')
      .option('--warn-only', 'plan for what rules and policies deny, but for those that protect others')
      .option('--orphans', 'list what Services that are gone have left in the cloud, and delete nothing')
      .addOption(new Option('-o, --output <format>', 'how to print the plan').choices(['text', 'json']).default('text'))
      .addHelpText(
        'after',
        '\nExit codes: 0 no Service is denied and there is no orphan, 1 a Service is denied or there are orphans, 2 planning failed.',
      )
      .action(run)
  );
}
