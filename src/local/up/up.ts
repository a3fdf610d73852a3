import { messageOf, PortcullisError } from '../../base/errors.ts';
import { recordedProcesses } from '../process.ts';
import { repositoryRoot } from '../repository.ts';
import { attachSandbox, type Sandbox } from '../sandbox-handle.ts';
import { logsFolder } from '../sandbox-files.ts';
import { findRecord, sandboxFolder, type SandboxRecord } from '../sandbox-record.ts';
import { removeFiles, stopProcesses } from '../sandbox-shutdown.ts';
import { bringUp } from './sandbox-start.ts';
import { sandboxVariable, requireCore, requireParts } from './running-process-check.ts';
import { withSandboxLock } from './sandbox-lock.ts';
import type { SandboxOptions, UpOptions } from './option-types.ts';

/** The result of `up`. */
export interface UpResult {
  readonly sandbox: Sandbox;
  /** True if the sandbox ran before `up` was called. */
  readonly already: boolean;
}

/** Starts a sandbox, or returns a running sandbox unchanged. After a failed start, stops all started processes. */
export async function up(options: UpOptions): Promise<UpResult> {
  const folder = sandboxFolder(repositoryRoot(), options.name);
  return withSandboxLock(folder, options, async () => {
    const record = findRecord(folder);
    if (record?.state === 'ready' && recordedProcesses(folder).length > 0) {
      requireCore(record);
      requireParts(record);
      return { sandbox: requireSameParts(record, options), already: true };
    }
    await cleanUp(folder, options);
    try {
      return { sandbox: await bringUp({ ...options, folder }), already: false };
    } catch (error) {
      await stopProcesses(folder);
      removeFiles(folder);
      throw options.signal.aborted ? error : withLogs(error, folder);
    }
  });
}

function requireSameParts(record: SandboxRecord, { name, without }: UpOptions): Sandbox {
  if (record.without.join() === without.join()) return attachSandbox(record.folder);
  const parts = record.without.length === 0 ? 'with all its parts' : `without ${record.without.join(' and ')}`;
  throw new PortcullisError(
    'InvalidConfiguration',
    `sandbox ${name} already runs, ${parts}: stop the sandbox with "${sandboxVariable(name)}make down", or start another sandbox with SANDBOX=name`,
  );
}

async function cleanUp(folder: string, { name, progress }: UpOptions): Promise<void> {
  const left = recordedProcesses(folder).map((process) => process.name);
  if (left.length > 0) progress.line(`stopping processes of an earlier run of sandbox ${name}: ${left.join(', ')}`);
  await stopProcesses(folder);
  removeFiles(folder);
}

function withLogs(error: unknown, folder: string): PortcullisError {
  const reason = error instanceof PortcullisError ? error.reason : 'Bug';
  const logs =
    error instanceof PortcullisError && error.reason === 'InvalidConfiguration' ? '' : `\nlogs: ${logsFolder(folder)}`;
  return new PortcullisError(reason, messageOf(error) + logs, { cause: error });
}

/** Stops a sandbox and removes its files except the logs. Returns whether any process ran. */
export async function down(options: SandboxOptions): Promise<boolean> {
  const folder = sandboxFolder(repositoryRoot(), options.name);
  return withSandboxLock(folder, options, async () => {
    const count = await stopProcesses(folder);
    removeFiles(folder);
    return count > 0;
  });
}
