import { Command, Option } from 'commander';
import { EXIT } from '../base/exit-code.ts';
import { PortcullisError } from '../base/errors.ts';
import { accessBy, withAccessFlags, type AccessFlags } from './access-flags.ts';

interface Flags extends AccessFlags {
  readonly recursive?: true;
  readonly orphans?: true;
  readonly output: 'text' | 'json';
  readonly color: 'auto' | 'always' | 'never';
}

/** The output and the exit code of the command. */
interface PlanCommandResult {
  readonly text: (isColored: boolean) => string;
  readonly data: () => object;
  readonly code: number;
}

function print({ text, data, code }: PlanCommandResult, { output, color }: Flags, self: Command): void {
  const terminal = self.configureOutput();
  const isColored = color === 'auto' ? terminal.getOutHasColors?.() === true : color === 'always';
  terminal.writeOut?.(output === 'json' ? `${JSON.stringify(data(), undefined, 2)}\n` : text(isColored));
  // The output is already printed, so the error has no message.
  if (code !== EXIT.fine) self.error('', { exitCode: code });
}

async function runOrphans(paths: readonly string[], flags: Flags): Promise<PlanCommandResult> {
  if (paths.length > 0) throw new PortcullisError('InvalidConfiguration', '--orphans takes no files');
  const access = accessBy(flags);
  const [{ findAllOrphans }, { rootLogger }, report] = await Promise.all([
    import('./orphan-run.ts'),
    import('../base/log.ts'),
    import('./orphan-report.ts'),
  ]);
  const found = await findAllOrphans({ ...access, log: rootLogger('silent') });
  return {
    text: () => report.orphanText(found),
    data: () => ({ orphans: found.map(report.orphanJson) }),
    code: report.orphanExitCode(found),
  };
}

async function runPlan(paths: readonly string[], flags: Flags): Promise<PlanCommandResult> {
  const access = accessBy(flags);
  // The cloud packages load slowly, so they load only after the flags are checked.
  const [{ planAll }, { filesOf, readSource }, { rootLogger }, { exitCodeOf }, { planJson }, diff] = await Promise.all([
    import('./plan-all.ts'),
    import('../lint/read-sources.ts'),
    import('../base/log.ts'),
    import('./plan-summary.ts'),
    import('./plan-json.ts'),
    import('./diff-text.ts'),
  ]);
  const files = paths.length === 0 ? undefined : filesOf(paths, flags.recursive === true);
  const sources = files === undefined ? undefined : await Promise.all(files.map(readSource));
  const planned = await planAll({ ...access, log: rootLogger('silent') }, sources);
  return {
    text: (isColored) => diff.planText(planned, isColored ? diff.COLORED_DIFF : diff.PLAIN_DIFF),
    data: () => planJson(planned),
    code: exitCodeOf(planned),
  };
}

async function run(paths: readonly string[], flags: Flags, self: Command): Promise<void> {
  print(await (flags.orphans === true ? runOrphans : runPlan)(paths, flags), flags, self);
}

/** Returns the command `portcullis plan`, with which users preview the effect of manifests, for example in CI. */
export function command(): Command {
  const plan = new Command('plan')
    .description('print the changes that the controller would apply for Services, and change nothing')
    .argument(
      '[FILES...]',
      'files with Services, folders, or - for standard input; if absent, all Services of the cluster',
    );
  return withAccessFlags(
    plan,
    'with files: namespace of objects without one (default: of the context); without files: only Services of this namespace (default: all)',
  )
    .option('-R, --recursive', 'include subfolders')
    .option('--orphans', 'list the orphans in the cloud, and delete nothing')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addOption(
      new Option('--color <when>', 'colors; auto: on a terminal, unless NO_COLOR is set')
        .choices(['auto', 'always', 'never'])
        .default('auto'),
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 no Service is denied and there is no orphan, 1 a Service is denied or its plan failed or there are orphans, 2 the command could not run.',
    )
    .action(run);
}
