import { readFileSync, rmSync } from 'node:fs';
import { systemClock } from '../../src/base/clock.ts';
import type { Deployment } from '../../src/local/kubelet/container.ts';
import { launchFile, podFolder } from '../../src/local/kubelet/launch.ts';
import { NAMESPACE, PARTS, workloadName, writeRecord, type Part } from '../../src/local/sandbox-record.ts';
import type { TestStand } from './sandbox.ts';

const POLL_MS = 100;
const KINDS = ['deployments', 'daemonsets'];

/**
 * Replaces the process of each part whenever its Deployment or DaemonSet in the cluster comes to another one, and ends it once there is none:
 * what controllers and kubelets do with pods. Ended by `await using`.
 */
export function follow(stand: TestStand): AsyncDisposable {
  const over = new AbortController();
  const running = new Map<Part, string>();
  // The stand's kubelet looks more often then.
  writeRecord({ ...stand.record, state: 'starting' });
  const turn = async (part: Part): Promise<void> => {
    const launch = (await isDeployed(stand, part)) ? launchOf(stand, part) : undefined;
    if (launch === running.get(part)) return;
    if (running.delete(part)) await end(stand, part);
    if (launch === undefined) rmSync(podFolder(stand.folder, part), { recursive: true, force: true });
    else {
      await stand.start(part);
      running.set(part, launch);
    }
  };
  const work = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await Promise.all(PARTS.map(turn));
      await systemClock.sleep(POLL_MS, over.signal).catch(() => undefined);
    }
  };
  const working = work();
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await working;
      await Promise.all([...running.keys()].map((part) => end(stand, part)));
    },
  };
}

/** The webhook would serve on for the time that it takes to drain, and has nobody to serve here. */
const end = (stand: TestStand, part: Part): Promise<void> => (part === 'webhook' ? stand.kill(part) : stand.stop(part));

async function isDeployed({ client }: TestStand, part: Part): Promise<boolean> {
  const paths = KINDS.map((kind) => `/apis/apps/v1/namespaces/${NAMESPACE}/${kind}/${workloadName(part)}`);
  const found = (await Promise.all(paths.map((path) => client.find(path)))) as readonly (Deployment | undefined)[];
  return found.some((object) => object !== undefined && object.spec?.replicas !== 0);
}

function launchOf({ folder }: TestStand, part: Part): string | undefined {
  try {
    return readFileSync(launchFile(folder, part), 'utf8');
  } catch {
    return undefined;
  }
}
