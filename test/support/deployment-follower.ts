import { readFileSync, rmSync } from 'node:fs';
import { systemClock } from '../../src/base/clock.ts';
import type { KubeletDeployment } from '../../src/local/kubelet/container-of-deployment.ts';
import { launchFile, podFolder } from '../../src/local/kubelet/launch-spec.ts';
import { NAMESPACE, PARTS, workloadName, writeRecord, type SandboxPart } from '../../src/local/sandbox-record.ts';
import type { TestSandbox } from './sandbox.ts';

const POLL_MS = 100;
const KINDS = ['deployments', 'daemonsets'];

/** Restarts the process of a part when its Deployment or DaemonSet changes. Stops the process when the object is deleted. */
export function follow(sandbox: TestSandbox): AsyncDisposable {
  const over = new AbortController();
  const running = new Map<SandboxPart, string>();
  // The sandbox's kubelet polls more often in this state.
  writeRecord({ ...sandbox.record, state: 'starting' });
  const restart = async (part: SandboxPart): Promise<void> => {
    const launch = (await isDeployed(sandbox, part)) ? launchOf(sandbox, part) : undefined;
    if (launch === running.get(part)) return;
    if (running.delete(part)) await end(sandbox, part);
    if (launch === undefined) rmSync(podFolder(sandbox.folder, part), { recursive: true, force: true });
    else {
      await sandbox.start(part);
      running.set(part, launch);
    }
  };
  const work = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await Promise.all(PARTS.map(restart));
      await systemClock.sleep(POLL_MS, over.signal).catch(() => undefined);
    }
  };
  const working = work();
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await working;
      await Promise.all([...running.keys()].map((part) => end(sandbox, part)));
    },
  };
}

/** Kills the webhook without a drain, because tests keep no connections open. */
const end = (sandbox: TestSandbox, part: SandboxPart): Promise<void> =>
  part === 'webhook' ? sandbox.kill(part) : sandbox.stop(part);

async function isDeployed({ client }: TestSandbox, part: SandboxPart): Promise<boolean> {
  const paths = KINDS.map((kind) => `/apis/apps/v1/namespaces/${NAMESPACE}/${kind}/${workloadName(part)}`);
  const found = (await Promise.all(paths.map((path) => client.find(path)))) as readonly (
    KubeletDeployment | undefined
  )[];
  return found.some((object) => object !== undefined && object.spec?.replicas !== 0);
}

function launchOf({ folder }: TestSandbox, part: SandboxPart): string | undefined {
  try {
    return readFileSync(launchFile(folder, part), 'utf8');
  } catch {
    return undefined;
  }
}
