import { existsSync, readFileSync } from 'node:fs';
import { request } from 'undici';
import { systemClock } from '../base/clock.ts';
import { PortcullisError } from '../base/errors.ts';
import { launchFile } from './kubelet/launch-spec.ts';
import { underProcessLock } from './kubelet/restart.ts';
import {
  forgetProcess,
  recordedProcess,
  recordedProcesses,
  signalProcess,
  startProcess,
  stopProcess,
  untilReady,
  type ManagedProcess,
  type ProcessSpec,
} from './process.ts';
import { binFolder, logsFolder } from './sandbox-files.ts';
import { PARTS, readRecord, workloadName, type SandboxPart, type SandboxRecord } from './sandbox-record.ts';

/** The handle of a running sandbox. The handle keeps no file or connection open, so that callers need not close the handle. */
export interface Sandbox {
  readonly name: string;
  readonly folder: string;
  readonly logs: string;
  readonly record: SandboxRecord;
  /** The environment of this process with the variables of the sandbox added. */
  readonly environment: NodeJS.ProcessEnv;
  /** Returns the running processes by name: `etcd`, `kube-apiserver`, …, `webhook`, `controller`. */
  readonly processes: () => ReadonlyMap<string, ManagedProcess>;
  /** Returns the process id, or undefined if the process does not run. */
  readonly pid: (name: string) => number | undefined;
  /** Sends SIGKILL, and resolves after the end of the process. The kubelet does not restart the process, because `kill` removes its record. */
  readonly kill: (name: string) => Promise<void>;
  /** Sends SIGTERM, and SIGKILL after the grace period of the Deployment. */
  readonly stop: (part: SandboxPart) => Promise<void>;
  /** Starts a part with the command line of its Deployment. Resolves before the part is ready. */
  readonly start: (part: SandboxPart, signal?: AbortSignal) => Promise<void>;
  /** Waits until the readiness probe of a started part succeeds. */
  readonly ready: (part: SandboxPart, signal?: AbortSignal) => Promise<void>;
  /** Suspends a process with SIGSTOP until `resume`. */
  readonly freeze: (name: string) => void;
  readonly resume: (name: string) => void;
  readonly killController: () => Promise<void>;
  readonly startController: () => Promise<void>;
}

const READY_MS = 30_000;
const LAUNCH_MS = 60_000;

type Launch = ProcessSpec & { readonly graceMs: number };

/** Returns the handle of the sandbox in a folder. Throws `InvalidConfiguration` if the folder has no sandbox. */
export function attachSandbox(folder: string): Sandbox {
  const record = readRecord(folder);
  const find = (name: string): ManagedProcess | undefined => recordedProcess(folder, name);
  const end = (name: string, graceMs: number): Promise<void> =>
    underProcessLock(folder, name, async () => {
      const found = find(name);
      // The kubelet must not restart the part, even if the process ended before this call.
      if (found === undefined) forgetProcess(folder, name);
      else await stopProcess(folder, found, graceMs);
    });
  const kill = (name: string): Promise<void> => end(name, 0);
  const start = async (part: SandboxPart, signal?: AbortSignal): Promise<void> => {
    const launch = await launchOf(folder, part, signal);
    await underProcessLock(folder, part, async () => {
      if (find(part) === undefined) await startProcess(folder, launch);
    });
  };
  return {
    name: record.name,
    folder,
    record,
    logs: logsFolder(folder),
    environment: { ...process.env, ...record.environment, PATH: `${binFolder(folder)}:${process.env['PATH'] ?? ''}` },
    processes: () => new Map(recordedProcesses(folder).map((found) => [found.name, found])),
    pid: (name) => find(name)?.identity.pid,
    kill,
    stop: async (part) => end(part, existsSync(launchFile(folder, part)) ? (await launchOf(folder, part)).graceMs : 0),
    start,
    ready: (part, signal) => untilPartReady(record, part, find(part), signal),
    freeze: (name) => withProcess(find(name), (found) => signalProcess(found, 'SIGSTOP')),
    resume: (name) => withProcess(find(name), (found) => signalProcess(found, 'SIGCONT')),
    killController: () => kill('controller'),
    startController: () => start('controller'),
  };
}

function withProcess(found: ManagedProcess | undefined, act: (found: ManagedProcess) => void): void {
  if (found !== undefined) act(found);
}

/** Reads the command line of a part. Waits up to 60 s, because the kubelet writes the command line only after all volumes exist. */
async function launchOf(folder: string, part: SandboxPart, signal?: AbortSignal): Promise<Launch> {
  const end = systemClock.monotonic() + LAUNCH_MS;
  for (;;) {
    try {
      return JSON.parse(readFileSync(launchFile(folder, part), 'utf8')) as Launch;
    } catch (cause) {
      if (systemClock.monotonic() >= end) {
        throw new PortcullisError(
          'Unavailable',
          `the volumes of Deployment ${workloadName(part)} were not ready within ${LAUNCH_MS / 1000} s: see ${logsFolder(folder)}/kubelet.log`,
          { cause },
        );
      }
    }
    await systemClock.sleep(50, signal);
  }
}

async function untilPartReady(
  record: SandboxRecord,
  part: SandboxPart,
  found: ManagedProcess | undefined,
  signal?: AbortSignal,
): Promise<void> {
  if (found === undefined)
    throw new PortcullisError('Unavailable', `${part} is not running: see ${logsFolder(record.folder)}/${part}.log`);
  const port = record.ports[part]['health'] ?? 0;
  const probe = async (): Promise<true | undefined> => {
    const { statusCode, body } = await request(`http://127.0.0.1:${port}/readyz`, {
      bodyTimeout: 1000,
      headersTimeout: 1000,
    });
    await body.dump();
    return statusCode === 200 ? true : undefined;
  };
  await untilReady(found, probe, { timeoutMs: READY_MS, signal });
}

/** Returns the parts that the variable `WITHOUT` did not omit from the sandbox. */
export const partsOf = ({ without }: SandboxRecord): readonly SandboxPart[] =>
  PARTS.filter((part) => !without.includes(part));
