import { Command, Option } from 'commander';
import { systemClock } from '../base/clock.ts';
import { PortcullisError } from '../base/errors.ts';
import { EXIT } from '../base/exit-code.ts';
import { policyWarnings } from '../lint/policy/policy-warnings.ts';
import { STDIN, readSources } from '../lint/read-sources.ts';
import { plain } from '../rules/engine/safe-text.ts';
import { impactJson, impactText } from './impact-report.ts';
import { gatherImpact, type ImpactFlags } from './impact-inputs.ts';
import { impactOf } from './impact.ts';
import { casesIn } from './read.ts';
import { resultsJson, resultsJunit, resultsSummary, resultsText } from './report.ts';
import { runTestCase } from './run.ts';

const REPORTS = { text: resultsText, json: resultsJson, junit: resultsJunit };

/** Prints each distinct line to standard error. */
function printOnce(lines: readonly string[], self: Command): void {
  for (const line of new Set(lines)) self.configureOutput().writeErr?.(`${line}\n`);
}

interface TestFlags {
  readonly recursive?: true;
  readonly output: keyof typeof REPORTS;
}

/** Runs `policy test`. Exits with code 1 if a case fails. */
async function test(paths: readonly string[], flags: TestFlags, self: Command): Promise<void> {
  const sources = await readSources(paths.length === 0 ? ['.'] : paths, flags.recursive === true);
  const cases = await casesIn(sources);
  if (cases.length === 0) {
    const isFolder = !paths.includes(STDIN) && sources.some(({ name }) => !paths.includes(name));
    const hint = isFolder && flags.recursive !== true ? ': -R includes subfolders' : '';
    const where = paths.map((path) => plain(path)).join(', ') || 'the current folder';
    throw new PortcullisError('InvalidConfiguration', `${where}: no PolicyTest found${hint}`);
  }
  const warnings = cases.flatMap(({ policies, namespaces }) =>
    policyWarnings(policies.policies, { ...policies, namespaces, clock: systemClock }),
  );
  printOnce(warnings, self);
  const results = cases.map((each) => runTestCase(each, systemClock));
  const terminal = self.configureOutput();
  const report = REPORTS[flags.output](results);
  terminal.writeOut?.(report.endsWith('\n') ? report : `${report}\n`);
  terminal.writeErr?.(`${resultsSummary(results)}\n`);
  if (results.some(({ differences }) => differences.length > 0)) self.error('', { exitCode: EXIT.findings });
}

const testCommand = (): Command =>
  new Command('test')
    .description('run the cases of PolicyTests, which state denials, warnings and defaults')
    .argument('[FILES...]', 'files, folders, or - for standard input; if absent, the current folder')
    .option('-R, --recursive', 'include subfolders')
    .addOption(new Option('-o, --output <format>', 'output format').choices(Object.keys(REPORTS)).default('text'))
    .addHelpText('after', '\nExit codes: 0 all cases passed, 1 a case failed, 2 the test could not run.')
    .action(test);

interface Printing {
  readonly output: 'text' | 'json';
  readonly all?: true;
}

/** Runs `policy impact`. Exits with code 1 if a Service would be denied. */
async function impact(paths: readonly string[], flags: ImpactFlags & Printing, self: Command): Promise<void> {
  if (flags.services === STDIN && paths.includes(STDIN)) {
    self.error('error: standard input (-) can be read only once', { exitCode: EXIT.failed });
  }
  const inputs = await gatherImpact(paths, flags, systemClock);
  printOnce(
    policyWarnings(inputs.tried.policies, { ...inputs.all, namespaces: inputs.namespaces, clock: systemClock }),
    self,
  );
  const found = impactOf(inputs);
  const text = flags.output === 'json' ? impactJson(found) : impactText(found, flags.all === true);
  self.configureOutput().writeOut?.(`${text}\n`);
  if (found.rows.some(({ affected }) => affected.denied.length > 0)) self.error('', { exitCode: EXIT.findings });
}

const impactCommand = (): Command =>
  new Command('impact')
    .description(
      'show the denials, warnings and defaults of policies if all Services were created again; changes nothing',
    )
    .argument(
      '<FILES...>',
      'files or folders with LoadBalancerPolicies and LoadBalancerExceptions, or - for standard input',
    )
    .option(
      '--services <file>',
      'file with the output of "kubectl get service,namespace -A -o json"; if absent, the Services of the cluster',
    )
    .option('--kubeconfig <file>', 'kubeconfig of the cluster; if absent, the kubeconfig of kubectl')
    .option('--context <name>', 'context of the kubeconfig; if absent, the current context')
    .option('-a, --all', 'list all Services')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText(
      'after',
      '\nExit codes: 0 no Service would be denied, 1 a Service would be denied, 2 the impact could not be determined.',
    )
    .action(impact);

/** Creates the command `portcullis policy`, with which users test policies before the policies are in effect. */
export function command(): Command {
  return new Command('policy')
    .description('test policies before they are in effect')
    .addCommand(testCommand())
    .addCommand(impactCommand())
    .helpCommand(false);
}
