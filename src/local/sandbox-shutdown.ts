import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordedProcesses, stopProcess } from './process.ts';
import { findRecord } from './sandbox-record.ts';

interface Stage {
  readonly names: readonly string[];
  readonly graceMs: number;
}

/** The order in which a sandbox stops: clients of the API server, the API server, etcd. */
const STAGES: readonly Stage[] = [
  // After SIGTERM, the webhook would wait for further requests for some seconds, but a stopping sandbox sends no requests.
  { names: ['controller', 'webhook'], graceMs: 1500 },
  {
    names: ['kubelet', 'cert-manager', 'kwok', 'kube-scheduler', 'kube-controller-manager', 'simulator'],
    graceMs: 3000,
  },
  // After SIGTERM, kube-apiserver would wait a minute for open watches.
  { names: ['kube-apiserver'], graceMs: 0 },
  { names: ['etcd'], graceMs: 0 },
];

/** Ends all processes of a sandbox in the order of `STAGES`. Returns the number of processes that ran. */
export async function stopProcesses(folder: string): Promise<number> {
  const count = recordedProcesses(folder).length;
  for (const { names, graceMs } of STAGES) {
    const due = recordedProcesses(folder).filter(({ name }) => names.includes(name));
    await Promise.all(due.map((process) => stopProcess(folder, process, graceMs)));
  }
  // The kubelet may have restarted a part after the first stage, so the records are read again.
  await Promise.all(recordedProcesses(folder).map((process) => stopProcess(folder, process, 0)));
  return count;
}

/** Removes the files of a stopped sandbox except its logs. Also removes the egress socket, which may be outside the folder. */
export function removeFiles(folder: string): void {
  const socket = findRecord(folder)?.egressSocket;
  if (socket !== undefined && !socket.startsWith(folder)) rmSync(dirname(socket), { recursive: true, force: true });
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((name) => name !== 'logs')) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}
