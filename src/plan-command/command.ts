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
const controllerFlags = ({
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
interface PlanCommandResult {
  readonly text: () => string;
  readonly data: () => object;
  readonly summary: string;
  readonly code: number;
}

function print({ text, data, summary, code }: PlanCommandResult, { output }: Flags, self: Command): void {
  const terminal = self.configureOutput();
  terminal.writeOut?.(output === 'json' ? `${JSON.stringify(data(), undefined, 2)}\n` : text());
  terminal.writeErr?.(`${summary}\n`);
  // The output is already printed.
  if (code !== EXIT.fine) self.error('', { exitCode: code });
}

async function runOrphans(paths: readonly string[], flags: Flags): Promise<PlanCommandResult> {
  const { kubeconfig, context } = flags;
  if (paths.length > 0) throw new PortcullisError('InvalidConfiguration', '--orphans takes no files');
  const config = readControllerConfig(controllerFlags(flags));
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

async function runPlan(paths: readonly string[], flags: Flags): Promise<PlanCommandResult> {
  const { kubeconfig, context, namespace } = flags;
  const config = readControllerConfig(controllerFlags(flags));
  // The packages of the cloud are loaded only if they are needed.
  const [{ planAll }, { filesOf, readSource }, { rootLogger }, { exitCodeOf, planJson, summary, textReport }] =
    await Promise.all([
      import('./run.ts'),
      import('../lint/read-sources.ts'),
      import('../base/log.ts'),
      import('./report.ts'),
    ]);
  const sources = await Promise.all(
    (paths.length === 0 ? [] : filesOf(paths, flags.recursive === true)).map(readSource),
  );
  const planned = await planAll({
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
      .description('print the changes that the controller would apply for Services, and change nothing')
      .argument(
        '[FILES...]',
        'files with Services, folders, or - for standard input; if absent, all Services of the cluster',
      )
      // The configuration requires the flag, after commander has checked all flags, so that a misspelt flag gets its own message.
      .option('--cloud-config <file>', 'cloud-config file of the controller; required')
      .option('--kubeconfig <file>', 'kubeconfig of the cluster; if absent, the kubeconfig of kubectl')
      .option('--context <name>', 'context of the kubeconfig; if absent, the current context')
      .option('-n, --namespace <name>', 'namespace of objects without one; if absent, the namespace of the context')
      .option('-R, --recursive', 'include subfolders')
      .addOption(
        new Option('--network <network>', 'endpoints of the cloud').choices(['vpc', 'public']).default('public'),
      )
      .option('--access-key-dir <folder>', 'folder with the files access-key-id and access-key-secret')
      .option('--protected-load-balancers <ids>', 'comma-separated ids of load balancers that no Service may use', '')
      .option('--warn-only', 'plan also what rules and policies deny, except for safety rules')
      .option('--orphans', 'list the orphans in the cloud, and delete nothing')
      .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
      .addHelpText(
        'after',
        '\nExit codes: 0 no Service is denied and there is no orphan, 1 a Service is denied or there are orphans, 2 planning failed.',
      )
      .action(run)
  );
}
