import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordedProcesses, stopProcess } from './process.ts';
import { findRecord } from './sandbox-record.ts';

interface Stage {
  readonly names: readonly string[];
  readonly graceMs: number;
}

/**
 * The order in which a sandbox stops: first who talks to the API server, then that, then its store.
 * kube-apiserver waits a minute for open watches when asked politely, and nothing of a sandbox has to survive its end.
 */
const STAGES: readonly Stage[] = [
  // Long enough to say goodbye, too short for the webhook's drain: nobody asks it any more.
  { names: ['controller', 'webhook'], graceMs: 1500 },
  {
    names: ['kubelet', 'cert-manager', 'kwok', 'kube-scheduler', 'kube-controller-manager', 'simulator'],
    graceMs: 3000,
  },
  { names: ['kube-apiserver'], graceMs: 0 },
  { names: ['etcd'], graceMs: 0 },
];

/** Ends every process recorded in a sandbox's folder, in order. Answers how many there were. */
export async function stopProcesses(folder: string): Promise<number> {
  const count = recordedProcesses(folder).length;
  for (const { names, graceMs } of STAGES) {
    const due = recordedProcesses(folder).filter(({ name }) => names.includes(name));
    await Promise.all(due.map((process) => stopProcess(folder, process, graceMs)));
  }
  // Looked at anew: until the kubelet stopped, it may have started a part again that had ended.
  await Promise.all(recordedProcesses(folder).map((process) => stopProcess(folder, process, 0)));
  return count;
}

/** Removes a sandbox's folder but for its logs, and its socket elsewhere. */
export function removeFiles(folder: string): void {
  const socket = findRecord(folder)?.egressSocket;
  if (socket !== undefined && !socket.startsWith(folder)) rmSync(dirname(socket), { recursive: true, force: true });
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((name) => name !== 'logs')) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}
