import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import { systemClock } from '../clock.ts';
import { PortcullisError } from '../errors.ts';
import { fileFacts } from './file-facts.ts';
import { reportJson } from './json.ts';
import { lint, storedObjects, type LintOptions, type Report } from './lint.ts';
import { filesOf, readSource, STDIN } from './read-sources.ts';
import { reportSarif } from './sarif.ts';
import type { Source } from './source.ts';
import { findingLine, summary, type Style } from './text.ts';

const FINDINGS = 1;
const USAGE = 2;

interface Flags {
  readonly recursive: boolean;
  readonly output: 'text' | 'json' | 'sarif';
  readonly facts?: string;
  readonly against?: string;
  readonly namespace: string;
  readonly strict: boolean;
}

const PLAIN: Style = { strong: String, error: String, warning: String };
const style = (...format: Parameters<typeof styleText>[0][]) => {
  return (text: string): string =>
    format.reduce((styled, each) => styleText(each, styled, { validateStream: false }), text);
};
const COLORED: Style = { strong: style('bold'), error: style('bold', 'red'), warning: style('bold', 'yellow') };

async function optionsOf({ facts, against, namespace }: Flags): Promise<LintOptions> {
  const [factsSource, storedSource] = [facts, against].map((path) =>
    path === undefined ? undefined : readSource(path),
  );
  return {
    namespace,
    ...(factsSource === undefined ? {} : { facts: fileFacts(await factsSource, systemClock) }),
    ...(storedSource === undefined ? {} : { stored: storedIn(await storedSource, namespace) }),
  };
}

const storedIn = (source: Source, namespace: string): NonNullable<LintOptions['stored']> =>
  storedObjects(source, namespace, ({ place, what }) => {
    throw new PortcullisError('InvalidConfiguration', `${source.name}:${place.line}:${place.column}: ${what}`);
  });

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
  const isTwice = [...new Set(paths), flags.facts, flags.against].filter((path) => path === STDIN).length > 1;
  if (isTwice) self.error('error: standard input (-) can be read only once', { exitCode: USAGE });
  const options = await optionsOf(flags);
  const sources: Source[] = [];
  for (const path of filesOf(paths, flags.recursive)) sources.push(await readSource(path));
  const report = lint(sources, options);
  print(report, flags, self);
  const counts = flags.strict ? report.findings : report.findings.filter(({ level }) => level === 'error');
  // What there is to say has been said.
  if (counts.length > 0) self.error('', { exitCode: FINDINGS });
}

/** `portcullis lint`. */
export function command(): Command {
  return new Command('lint')
    .description("check manifests by the webhook's rules, without a cluster")
    .argument('<FILES...>', 'files, folders, or - for standard input')
    .option('-R, --recursive', 'look into the folders of a folder, too', false)
    .addOption(
      new Option('-o, --output <format>', 'how to print what is found')
        .choices(['text', 'json', 'sarif'])
        .default('text'),
    )
    .option('--facts <file>', 'what is known of the cloud, as kubectl get clb,cloudinventory -o yaml prints it')
    .option('--against <file>', 'the objects as they are stored, as kubectl get service -o yaml prints them')
    .option('-n, --namespace <name>', 'namespace of objects that name none', 'default')
    .option('--strict', 'let warnings count as findings', false)
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing would be refused, 1 something would be (or, with --strict, is warned of), 2 wrong usage.',
    )
    .action(run);
}
