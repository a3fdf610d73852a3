import { Command, Option } from 'commander';
import { plain } from '../rules/engine/safe-text.ts';
import { EXIT } from '../base/exit-code.ts';
import { styled } from '../base/terminal-style.ts';
import { reportGithub } from './github.ts';
import { reportGitlab } from './gitlab.ts';
import { reportJson } from './json.ts';
import { lint, type LintReport, type LintFinding } from './lint.ts';
import { policyWarnings } from './policy/policy-warnings.ts';
import { readEachSource, STDIN } from './read-sources.ts';
import { reportSarif } from './sarif.ts';
import { needsCluster, lintContextOf, type LintContextFlags } from './lint-inputs.ts';
import { findingLine, summary, type Style } from './text.ts';

const FORMATS = ['text', 'json', 'sarif', 'github', 'gitlab'] as const;

interface Flags extends LintContextFlags {
  readonly recursive?: true;
  readonly output: (typeof FORMATS)[number];
  readonly strict?: true;
}

const PLAIN: Style = { strong: String, error: String, warning: String, note: String };
const COLORED: Style = {
  strong: styled('bold'),
  error: styled('bold', 'red'),
  warning: styled('bold', 'yellow'),
  note: styled('bold', 'cyan'),
};

function print(report: LintReport, { output }: Flags, self: Command): void {
  const terminal = self.configureOutput();
  const shown = terminal.getOutHasColors?.() === true ? COLORED : PLAIN;
  const text = {
    text: () => report.findings.map((finding) => `${findingLine(finding, shown)}\n`).join(''),
    json: () => `${reportJson(report)}\n`,
    sarif: () => `${reportSarif(report)}\n`,
    github: () => reportGithub(report),
    gitlab: () => `${reportGitlab(report)}\n`,
  }[output]();
  terminal.writeOut?.(text);
  terminal.writeErr?.(`${summary(report)}\n`);
}

async function run(paths: readonly string[], flags: Flags, self: Command): Promise<void> {
  const readsStdinTwice =
    [...new Set(paths), flags.facts, flags.against, ...new Set(flags.policy)].filter((path) => path === STDIN).length >
    1;
  if (readsStdinTwice) self.error('error: standard input (-) can be read only once', { exitCode: EXIT.failed });
  if (!needsCluster(flags) && (flags.kubeconfig ?? flags.context) !== undefined) {
    const remedy = 'set --against, --facts or --policy to cluster';
    self.error(`error: --kubeconfig and --context have no effect, because no flag requires a cluster: ${remedy}`, {
      exitCode: EXIT.failed,
    });
  }
  const { sources, unread } = await readEachSource(paths, flags.recursive === true);
  for (const { error } of unread) self.configureOutput().writeErr?.(`error: ${plain(error.message)}\n`);
  if (sources.length === 0) self.error('', { exitCode: EXIT.failed });
  const context = await lintContextOf(flags, sources);
  const { policies } = context;
  const warnings = policies === undefined ? [] : policyWarnings(policies.policies, policies);
  for (const warning of warnings) self.configureOutput().writeErr?.(`${warning}\n`);
  const result = lint(sources, context);
  const report = { ...result, unread: [...unread.map(({ name }) => name), ...result.unread] };
  print(report, flags, self);
  // The report is already printed, so the error has no message.
  const code = exitCodeOf(report, flags.strict === true);
  if (code !== EXIT.fine) self.error('', { exitCode: code });
}

/** Returns the exit code. An unreadable part takes precedence over findings. */
function exitCodeOf({ findings, unread }: LintReport, isStrict: boolean): number {
  if (unread.length > 0) return EXIT.failed;
  const isFinding = ({ level }: LintFinding): boolean => level === 'error' || (isStrict && level === 'warning');
  return findings.some(isFinding) ? EXIT.findings : EXIT.fine;
}

/** Builds the command `portcullis lint`, which evaluates the rules on manifests, for example in CI. */
export function command(): Command {
  return new Command('lint')
    .description('check manifests with the rules of the webhook; needs no cluster')
    .argument('<FILES...>', 'files, folders, or - for standard input')
    .option('-R, --recursive', 'include subfolders')
    .addOption(new Option('-o, --output <format>', 'output format').choices(FORMATS).default('text'))
    .option(
      '--facts <file|cluster>',
      'the inventory: "cluster", or a file with the output of "kubectl get clb,cloudinventory -o yaml", or - for standard input',
    )
    .option(
      '--against <file|cluster>',
      'the stored objects: "cluster", or a file with the output of "kubectl get service -o yaml", or - for standard input',
    )
    .option(
      '--policy <file|cluster>',
      'LoadBalancerPolicies and LoadBalancerExceptions to evaluate: "cluster", a file, a folder, or - for standard input; can be repeated',
      (path: string, before: readonly string[]) => [...before, path],
      [],
    )
    .option('--kubeconfig <file>', 'kubeconfig of the cluster; if absent, the kubeconfig of kubectl')
    .option('--context <name>', 'context of the kubeconfig; if absent, the current context')
    .option(
      '-n, --namespace <name>',
      'namespace of objects without one; if absent, the namespace of the context, or "default"',
    )
    .option('--strict', 'exit with 1 also for warnings')
    .addHelpText(
      'after',
      '\nExit codes: 0 no object would be denied, 1 an object would be denied (with --strict: or gets a warning), 2 a file or the cluster could not be read.',
    )
    .action(run);
}
