import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import { EXIT } from '../base/exit-code.ts';
import { reportJson } from './json.ts';
import { lint, type Report } from './lint.ts';
import { doubtsAbout } from './policy/doubts.ts';
import { readSources, STDIN } from './read-sources.ts';
import { reportSarif } from './sarif.ts';
import { asksCluster, surroundingsOf, type SurroundingFlags } from './surroundings.ts';
import { findingLine, summary, type Style } from './text.ts';

interface Flags extends SurroundingFlags {
  readonly recursive?: true;
  readonly output: 'text' | 'json' | 'sarif';
  readonly strict?: true;
}

const PLAIN: Style = { strong: String, error: String, warning: String, note: String };
const style = (...format: Parameters<typeof styleText>[0][]) => {
  return (text: string): string =>
    format.reduce((styled, each) => styleText(each, styled, { validateStream: false }), text);
};
const COLORED: Style = {
  strong: style('bold'),
  error: style('bold', 'red'),
  warning: style('bold', 'yellow'),
  note: style('bold', 'cyan'),
};

function print(report: Report, { output }: Flags, self: Command): void {
  const terminal = self.configureOutput();
  const shown = terminal.getOutHasColors?.() === true ? COLORED : PLAIN;
  const text = {
    text: () => report.findings.map((told) => `${findingLine(told, shown)}\n`).join(''),
    json: () => `${reportJson(report)}\n`,
    sarif: () => `${reportSarif(report)}\n`,
  }[output]();
  terminal.writeOut?.(text);
  terminal.writeErr?.(`${summary(report)}\n`);
}

async function run(paths: readonly string[], flags: Flags, self: Command): Promise<void> {
  const isTwice =
    [...new Set(paths), flags.facts, flags.against, ...new Set(flags.policy)].filter((path) => path === STDIN).length >
    1;
  if (isTwice) self.error('error: standard input (-) can be read only once', { exitCode: EXIT.failed });
  if (!asksCluster(flags) && (flags.kubeconfig ?? flags.context) !== undefined) {
    const way = '--against, --facts or --policy cluster has it asked';
    self.error(`error: --kubeconfig and --context say how to reach a cluster, and none is asked: ${way}`, {
      exitCode: EXIT.failed,
    });
  }
  const sources = await readSources(paths, flags.recursive === true);
  const surroundings = await surroundingsOf(flags, sources);
  const { policies } = surroundings;
  const doubts = policies === undefined ? [] : doubtsAbout(policies.policies, policies);
  for (const doubt of doubts) self.configureOutput().writeErr?.(`${doubt}\n`);
  const report = lint(sources, surroundings);
  print(report, flags, self);
  const counts = report.findings.filter(
    ({ level }) => level === 'error' || (flags.strict === true && level === 'warning'),
  );
  // What there is to say has been said.
  if (counts.length > 0) self.error('', { exitCode: EXIT.findings });
}

/** `portcullis lint`. */
export function command(): Command {
  return new Command('lint')
    .description("check manifests by the webhook's rules, without a cluster")
    .argument('<FILES...>', 'files, folders, or - for standard input')
    .option('-R, --recursive', 'look into the folders of a folder, too')
    .addOption(
      new Option('-o, --output <format>', 'how to print what is found')
        .choices(['text', 'json', 'sarif'])
        .default('text'),
    )
    .option(
      '--facts <file|cluster>',
      'what is known of the cloud, as kubectl get clb,cloudinventory -o yaml prints it, or as the cluster has it',
    )
    .option(
      '--against <file|cluster>',
      'the objects as they are stored, as kubectl get service -o yaml prints them, or as the cluster has them',
    )
    .option(
      '--policy <file|cluster>',
      'LoadBalancerPolicies and LoadBalancerExceptions as if in force: a file, a folder, -, or those of the cluster; can be repeated',
      (path: string, before: readonly string[]) => [...before, path],
      [],
    )
    .option('--kubeconfig <file>', 'how to reach the cluster that is asked; found as kubectl finds it when absent')
    .option('--context <name>', 'the context of the kubeconfig; its current one when absent')
    .option('-n, --namespace <name>', 'of objects that name none; "default", or that of the context, when absent')
    .option('--strict', 'let warnings count as findings')
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing would be denied, 1 something would be denied (with --strict: or would get a warning), 2 lint could not run.',
    )
    .action(run);
}
