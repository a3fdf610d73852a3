import { existsSync, readFileSync } from 'node:fs';
import { request } from 'undici';
import { systemClock } from '../base/clock.ts';
import { PortcullisError } from '../base/errors.ts';
import { launchFile } from './kubelet/launch.ts';
import { alone } from './kubelet/restart.ts';
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
import { PARTS, readRecord, workloadName, type Part, type SandboxRecord } from './sandbox-record.ts';

/** A sandbox that runs, seen from any process. Holds nothing open: everything is read from its folder. */
export interface Sandbox {
  readonly name: string;
  readonly folder: string;
  readonly logs: string;
  readonly record: SandboxRecord;
  /** This process's own environment with the sandbox's `environment` on top. */
  readonly environment: NodeJS.ProcessEnv;
  /** The processes that run now, by name: `etcd`, `kube-apiserver`, …, `webhook`, `controller`. */
  readonly processes: () => ReadonlyMap<string, ManagedProcess>;
  /** Absent when that process does not run. */
  readonly pid: (name: string) => number | undefined;
  /** SIGKILL; resolves when it is gone. Does nothing when it does not run. */
  readonly kill: (name: string) => Promise<void>;
  /** SIGTERM, and SIGKILL after the grace that its Deployment gives it. */
  readonly stop: (part: Part) => Promise<void>;
  /** Starts a part as its Deployment says now; resolves when its process runs, before it is ready. Does nothing when it runs. */
  readonly start: (part: Part, signal?: AbortSignal) => Promise<void>;
  /** Resolves when a part that was started is ready, as its readiness probe would find. */
  readonly ready: (part: Part, signal?: AbortSignal) => Promise<void>;
  /** Stops a process's processor time until it is resumed. */
  readonly freeze: (name: string) => void;
  readonly resume: (name: string) => void;
  readonly killController: () => Promise<void>;
  readonly startController: () => Promise<void>;
}

const READY_MS = 30_000;
const LAUNCH_MS = 60_000;

type Launch = ProcessSpec & { readonly graceMs: number };

/** The sandbox in a folder. Throws `InvalidConfiguration` when there is none. */
export function attachSandbox(folder: string): Sandbox {
  const record = readRecord(folder);
  const find = (name: string): ManagedProcess | undefined => recordedProcess(folder, name);
  const end = (name: string, graceMs: number): Promise<void> =>
    alone(folder, name, async () => {
      const found = find(name);
      // One that had ended by itself is not to be started again either.
      if (found === undefined) forgetProcess(folder, name);
      else await stopProcess(folder, found, graceMs);
    });
  const kill = (name: string): Promise<void> => end(name, 0);
  const start = async (part: Part, signal?: AbortSignal): Promise<void> => {
    const launch = await launchOf(folder, part, signal);
    await alone(folder, part, async () => {
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

/** What the kubelet left to be started, once it has: it waits for everything that the part mounts. */
async function launchOf(folder: string, part: Part, signal?: AbortSignal): Promise<Launch> {
  const end = systemClock.monotonic() + LAUNCH_MS;
  for (;;) {
    try {
      return JSON.parse(readFileSync(launchFile(folder, part), 'utf8')) as Launch;
    } catch (cause) {
      if (systemClock.monotonic() >= end) {
        throw new PortcullisError(
          'Unavailable',
          `what Deployment ${workloadName(part)} mounts did not all appear within ${LAUNCH_MS / 1000} s: look into ${logsFolder(folder)}/kubelet.log`,
          { cause },
        );
      }
    }
    await systemClock.sleep(50, signal);
  }
}

async function untilPartReady(
  record: SandboxRecord,
  part: Part,
  found: ManagedProcess | undefined,
  signal?: AbortSignal,
): Promise<void> {
  if (found === undefined)
    throw new PortcullisError(
      'Unavailable',
      `${part} does not run: look into ${logsFolder(record.folder)}/${part}.log`,
    );
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

/** All parts that a record asks for. */
export const partsOf = ({ without }: SandboxRecord): readonly Part[] => PARTS.filter((part) => !without.includes(part));
