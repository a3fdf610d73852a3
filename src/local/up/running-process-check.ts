import { PortcullisError } from '../../base/errors.ts';
import { endedByItself, logFile, recordedProcesses } from '../process.ts';
import { partsOf } from '../sandbox-handle.ts';
import { logsFolder } from '../sandbox-files.ts';
import type { SandboxPart, SandboxRecord } from '../sandbox-record.ts';

/** The processes that every sandbox needs. The variable `WITHOUT` can omit only the webhook and the controller. */
const CORE = [
  'etcd',
  'kube-apiserver',
  'simulator',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'cert-manager',
  'kubelet',
];

/** Returns the text before `make` that selects this sandbox, for example `SANDBOX=second `. Returns an empty text for the default sandbox. */
export const sandboxVariable = (name: string): string => (name === 'default' ? '' : `SANDBOX=${name} `);

/** Returns the names of the processes that do not run. */
function notRunning<Name extends string>({ folder }: SandboxRecord, names: readonly Name[]): readonly Name[] {
  const running = recordedProcesses(folder).map(({ name }) => name);
  return names.filter((name) => !running.includes(name));
}

/** Throws `Unavailable` if a process of `CORE` has ended. `make up` does not restart the sandbox, because a restart would delete its data. */
export function requireCore(record: SandboxRecord): void {
  const ended = notRunning(record, CORE);
  if (ended.length === 0) return;
  const { name, folder } = record;
  const [first = ''] = ended;
  const logs = ended.length === 1 ? logFile(folder, first) : logsFolder(folder);
  const sandbox = sandboxVariable(name);
  throw new PortcullisError(
    'Unavailable',
    `sandbox ${name} runs, but ${ended.join(', ')} ended: see ${logs}; to start again without the data, run "${sandbox}make down" and "${sandbox}make up"`,
  );
}

/** Throws `Unavailable` if the webhook or the controller of a sandbox does not run. Ignores the parts that `WITHOUT` omitted. */
export function requireParts(record: SandboxRecord): void {
  const [part] = notRunning(record, partsOf(record));
  if (part !== undefined) throw new PortcullisError('Unavailable', stoppedPartMessage(record, part));
}

function stoppedPartMessage({ name, folder }: SandboxRecord, part: SandboxPart): string {
  const fate = endedByItself(folder, part) ? `ended: see ${logFile(folder, part)};` : 'was stopped:';
  return `sandbox ${name} runs, but its ${part} ${fate} start it again with "${sandboxVariable(name)}make ${part}"`;
}
