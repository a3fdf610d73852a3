import { styleText } from 'node:util';
import { relative } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { messageOf, PortcullisError, hasReason } from '../base/errors.ts';
import { nearest } from '../base/spelling-suggestion.ts';
import { podFolder } from './kubelet/launch-spec.ts';
import { recordedProcesses } from './process.ts';
import { printProgress } from './progress.ts';
import { repositoryRoot } from './repository.ts';
import { environmentFile } from './sandbox-files.ts';
import type { Sandbox } from './sandbox.ts';
import { partsIn, sandboxFolder, type SandboxRecord } from './sandbox-record.ts';
import { SANDBOX_TOOLS } from './tools/catalogue.ts';
import { obtainTools } from './tools/tool-paths.ts';
import type { SandboxOptions } from './up/options.ts';
import { down, up, type UpResult } from './up/up.ts';

const USAGE = 2;
const INTERRUPTED = 130;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const bold = (text: string): string => (process.stdout.isTTY ? styleText('bold', text) : text);
const here = (path: string): string => relative(process.cwd(), path) || '.';

const interruption = new AbortController();
const options: SandboxOptions = {
  name: process.env['SANDBOX'] ?? 'default',
  progress: printProgress(process.stdout),
  signal: interruption.signal,
  clock: systemClock,
};

async function runUp(): Promise<UpResult> {
  const since = systemClock.monotonic();
  const without = partsIn(process.env['WITHOUT'] ?? '');
  say(bold(`sandbox ${options.name}`));
  const result = await up({ ...options, without, env: process.env });
  const seconds = ((systemClock.monotonic() - since) / 1000).toFixed(1);
  say(result.already ? `sandbox ${options.name} already runs` : `ready after ${seconds} s`);
  return result;
}

function explain({ name, folder, logs, record }: Sandbox): void {
  const other = name === 'default' ? '' : `SANDBOX=${name} `;
  say(`
Use it:
  ${bold(`. ${here(environmentFile(folder))}`)}
  kubectl get nodes
  kubectl apply -f manifests/samples/workload.yaml -f manifests/samples/good.yaml
  kubectl get clb
  portcullis explain bandwidth

Logs of every process: ${here(logs)}
Stop it: ${other}make down`);
  if (record.without.includes('webhook')) say(ownWebhook(record));
  if (record.without.includes('controller')) say(OWN_CONTROLLER);
}

const OWN_CONTROLLER = `
No load balancer is created until a controller runs: your own controller, or Portcullis with your flags
  portcullis controller --cloud-config "$CLOUD_CONFIG" --kubeconfig "$CONTROLLER_KUBECONFIG" --cluster-cidr "$CLUSTER_CIDR"`;

/** Returns the instructions that the command `up` prints for a sandbox without a webhook. */
const ownWebhook = ({ folder, ports }: SandboxRecord): string => `
The API server calls your own webhook as soon as it is ready:
  HTTPS on 127.0.0.1:${ports.webhook['https'] ?? 0}, with the certificate in ${here(podFolder(folder, 'webhook'))}/volumes/tls
  http://127.0.0.1:${ports.webhook['health'] ?? 0}/readyz responds with status 200`;

const COMMANDS: Readonly<Record<string, () => Promise<number>>> = {
  up: async () => {
    const { sandbox } = await runUp();
    explain(sandbox);
    return 0;
  },
  down: async () => {
    const stopped = await down(options);
    say(stopped ? `sandbox ${options.name} is stopped` : `sandbox ${options.name} does not run`);
    return 0;
  },
  demo: async () => {
    const { sandbox, already } = await runUp();
    const { runDemo } = await import('./demo/run.ts');
    try {
      return (await runDemo(sandbox, interruption.signal)) ? 0 : 1;
    } finally {
      // The demo stops only a sandbox that the demo started.
      if (!already) await down({ ...options, signal: new AbortController().signal });
    }
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
// A closed pager closes the output. Without the listener, the error would end this process before the cleanup.
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
