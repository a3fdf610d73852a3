import { PortcullisError, messageOf } from '../src/base/errors.ts';
import { nearest } from '../src/base/spelling-suggestion.ts';
import { repositoryRoot } from '../src/local/repository.ts';
import { attachSandbox, type Sandbox } from '../src/local/sandbox-handle.ts';
import { sandboxFolder } from '../src/local/sandbox-record.ts';
import { prepareSandbox } from './support/takeover/sandbox-preparation.ts';
import { sinceThen, type ObjectWrite } from './support/takeover/recorded-writes.ts';
import { NAMESPACE, SANDBOX_KINDS } from './support/takeover/sandbox-kinds.ts';

const HELP = `Creates Services as the existing controller (Alibaba Cloud Controller Manager) leaves them, and shows what another controller changes.

  WITHOUT=controller make up        a sandbox without a controller
  node test/take-over.ts prepare    ${SANDBOX_KINDS.length} kinds of Service in the namespace ${NAMESPACE}, as the existing controller
                                    leaves them: in the cluster, and in the cloud
  …                                 start any controller, as "make up" shows
  node test/take-over.ts changes    the changing cloud calls and the writes to the cluster since "prepare"

SANDBOX=name chooses a sandbox, as for make.
`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function prepare(sandbox: Sandbox): Promise<void> {
  if (sandbox.pid('controller') !== undefined)
    throw new PortcullisError(
      'InvalidConfiguration',
      `sandbox ${sandbox.name} has a controller: start one without, with "WITHOUT=controller make up"`,
    );
  await prepareSandbox(sandbox);
  for (const { name, title } of SANDBOX_KINDS) say(`${name}  ${title}`);
  say(`${SANDBOX_KINDS.length} Services in the namespace ${NAMESPACE}; now start a controller`);
}

/** Returns one line for each kind of write, with the number of such writes. */
function grouped(writes: readonly ObjectWrite[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { user, object, changed } of writes) {
    const what = `${user}  ${object.split(' ')[0] ?? ''}: ${changed.join(', ')}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, count]) => `${String(count).padStart(5)}  ${what}`);
}

async function changes(sandbox: Sandbox): Promise<void> {
  const { calls, writes } = await sinceThen(sandbox);
  say(`${calls.length} changing calls`);
  for (const { time, userAgent, action, parameters } of calls)
    say(`  ${time}  ${userAgent}  ${action} ${JSON.stringify(parameters)}`);
  say(`${writes.length} writes to the cluster`);
  for (const line of grouped(writes)) say(line);
}

const COMMANDS: Readonly<Record<string, (sandbox: Sandbox) => Promise<void>>> = { prepare, changes };

/**
 * Runs `node test/take-over.ts COMMAND`, by which a developer compares controllers by hand. The test `integration/sandbox/take-over` does so in a
 * test run.
 */
async function main([word = 'help', ...further]: readonly string[]): Promise<void> {
  if (['help', '--help', '-h'].includes(word)) {
    process.stdout.write(HELP);
    return;
  }
  const command = further.length === 0 ? COMMANDS[word] : undefined;
  if (command === undefined) {
    const guess = nearest(word, Object.keys(COMMANDS));
    const hint = guess === undefined || further.length > 0 ? 'choose prepare or changes' : `did you mean "${guess}"?`;
    throw new PortcullisError('InvalidConfiguration', `unknown command "${[word, ...further].join(' ')}": ${hint}`);
  }
  await command(attachSandbox(sandboxFolder(repositoryRoot(), process.env['SANDBOX'] ?? 'default')));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`error: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
