import { relative } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { messageOf, PortcullisError, hasReason } from '../base/errors.ts';
import { nearest } from '../base/spelling-suggestion.ts';
import { recordedProcesses } from './process.ts';
import { printProgress } from './progress.ts';
import { repositoryRoot } from './repository.ts';
import { partsIn, sandboxFolder, type SandboxPart } from './sandbox-record.ts';
import { SANDBOX_TOOLS } from './tools/catalogue.ts';
import { obtainTools } from './tools/find-or-build-tools.ts';
import { addPart } from './up/add-controller-or-webhook.ts';
import type { SandboxOptions } from './up/option-types.ts';
import { reportedUp } from './up/up-with-progress.ts';
import { usageOf } from './up/next-steps-text.ts';
import { down } from './up/up.ts';

/*
 * The program behind `make up`, `make controller`, `make webhook`, `make down`, `make demo` and `make tools`. The variable `SANDBOX` selects the
 * sandbox.
 */

const USAGE = 2;
const INTERRUPTED = 130;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const interruption = new AbortController();
const options: SandboxOptions = {
  name: process.env['SANDBOX'] ?? 'default',
  progress: printProgress(process.stdout),
  signal: interruption.signal,
  clock: systemClock,
};
const upOptions = () => ({ ...options, without: partsIn(process.env['WITHOUT'] ?? ''), env: process.env });

const add = (part: SandboxPart) => async (): Promise<number> => {
  const already = await addPart(part, options);
  say(`${part} ${already ? 'already runs' : 'runs'} in sandbox ${options.name}`);
  return 0;
};

const COMMANDS: Readonly<Record<string, () => Promise<number>>> = {
  up: async () => {
    const { sandbox } = await reportedUp(upOptions(), process.stdout);
    say(usageOf(sandbox, (path) => relative(process.cwd(), path) || '.'));
    return 0;
  },
  controller: add('controller'),
  webhook: add('webhook'),
  down: async () => {
    const stopped = await down(options);
    say(stopped ? `sandbox ${options.name} is stopped` : `sandbox ${options.name} does not run`);
    return 0;
  },
  demo: async () => {
    const { runDemo } = await import('./demo/run.ts');
    return (await runDemo(upOptions(), process.stdout)) ? 0 : 1;
  },
  tools: async () => {
    const tools = await obtainTools(SANDBOX_TOOLS, { ...options, env: process.env });
    for (const [name, path] of Object.entries(tools)) say(`${name.padEnd(24)} ${path}`);
    return 0;
  },
};

async function main([word = '', ...further]: readonly string[]): Promise<number> {
  if (further.length > 0) {
    throw new PortcullisError(
      'InvalidConfiguration',
      `unexpected "${further.join(' ')}" after "${word}": a command has no arguments; set the variables SANDBOX, WITHOUT and KUBERNETES instead, for example SANDBOX=second`,
    );
  }
  const command = COMMANDS[word];
  if (command !== undefined) return command();
  const known = Object.keys(COMMANDS);
  const guess = nearest(word, known);
  const hint = guess === undefined ? `choose one of ${known.join(', ')}` : `did you mean "${guess}"?`;
  throw new PortcullisError('InvalidConfiguration', `unknown command "${word}": ${hint}`);
}

/** Prints the processes of the sandbox that still run. Runs after an interruption. */
function printRunningProcesses(): void {
  const left = recordedProcesses(sandboxFolder(repositoryRoot(), options.name)).map(({ name }) => name);
  say(left.length === 0 ? 'stopped; no process is left' : `sandbox ${options.name} still runs: ${left.join(', ')}`);
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    if (interruption.signal.aborted) return;
    say('\ninterrupted: stopping …');
    interruption.abort(new PortcullisError('Unavailable', 'interrupted'));
  });
}
// A closed pager closes the output. Without the listener, the error of the next write would end this process before the cleanup.
process.stdout.on('error', () => undefined);

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!interruption.signal.aborted) process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = hasReason(error, 'InvalidConfiguration') ? USAGE : 1;
}
if (interruption.signal.aborted) {
  process.exitCode = INTERRUPTED;
  printRunningProcesses();
}
