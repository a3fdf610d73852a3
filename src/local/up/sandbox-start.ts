import { systemClock } from '../../base/clock.ts';
import { startControlPlane, type ControlPlane } from '../control-plane.ts';
import { environmentText, sandboxEnvironment } from '../environment-file.ts';
import { inParallel } from '../in-parallel.ts';
import type { ProcessSpec } from '../process.ts';
import { cloudSeed, MACHINES } from '../seed.ts';
import { attachSandbox, partsOf, type Sandbox } from '../sandbox-handle.ts';
import { binFolder, compiled, environmentFile } from '../sandbox-files.ts';
import { writeRecord, writeWhole, type SandboxRecord } from '../sandbox-record.ts';
import { SANDBOX_TOOLS } from '../tools/catalogue.ts';
import { obtainTools } from '../tools/find-or-build-tools.ts';
import {
  certManagerProcess,
  clusterProcesses,
  createNodes,
  installCertManagerKinds,
  readyNodes,
  startAll,
} from './cluster-components.ts';
import { applyCloudAccess, applyManifests, OVERLAY, untilActive } from './install.ts';
import { prepare, type Prepared } from './sandbox-folder-creation.ts';
import { startSimulator } from './simulator.ts';
import type { UpOptions } from './option-types.ts';

/** The options of `make up`, with the folder of the sandbox. */
export interface BringUpOptions extends UpOptions {
  readonly folder: string;
}

/** Starts all processes of a sandbox, each as soon as its dependencies run. Called by `up`, which stops the started processes after a failure. */
export async function bringUp(options: BringUpOptions): Promise<Sandbox> {
  const { folder, name, without, env, progress, signal, clock } = options;
  const tools = await obtainTools(SANDBOX_TOOLS, { env, progress, signal, clock });
  const prepared = await prepare({ folder, name, without, tools, now: clock.now() });
  const { plane, simulatorUrl } = await startFoundations(prepared, options);
  const record = withEnvironment(prepared, simulatorUrl);
  try {
    await startAll(folder, [...clusterProcesses(prepared), kubeletProcess(folder)]);
    await inParallel(signal, [
      (inner) => progress.step(`${MACHINES.length} nodes of kwok ready`, () => startNodes(plane, inner)),
      (inner) => install({ ...prepared, record }, plane, options, inner),
    ]);
  } finally {
    await plane.client.close();
  }
  writeRecord({ ...record, state: 'ready' });
  return attachSandbox(folder);
}

async function startFoundations(
  prepared: Prepared,
  { progress, signal, loadBalancers }: BringUpOptions,
): Promise<{ readonly plane: ControlPlane; readonly simulatorUrl: string }> {
  let plane: ControlPlane | undefined;
  let simulatorUrl = '';
  await inParallel(signal, [
    (inner) =>
      progress.step('etcd, kube-apiserver', async () => {
        plane = await startControlPlane(prepared.plan, inner);
      }),
    (inner) =>
      progress.step('cloud simulator', async () => {
        const seed = cloudSeed(prepared.accessKey, loadBalancers);
        simulatorUrl = await startSimulator(prepared.record.folder, seed, inner);
      }),
  ]);
  if (plane === undefined) throw new Error('inParallel resolved before its tasks');
  return { plane, simulatorUrl };
}

/** Writes the environment to a file and to the sandbox's record. Runs before the kubelet starts, because the kubelet reads the record. */
function withEnvironment(prepared: Prepared, simulatorUrl: string): SandboxRecord {
  const { folder } = prepared.record;
  const environment = sandboxEnvironment({
    folder,
    simulatorUrl,
    kubeconfig: prepared.plan.files.administratorKubeconfig,
    cloudConfig: prepared.cloudConfigFile,
    accessKey: prepared.accessKey,
  });
  const record = { ...prepared.record, environment };
  writeRecord(record);
  writeWhole(environmentFile(folder), environmentText(binFolder(folder), environment));
  return record;
}

const kubeletProcess = (folder: string): ProcessSpec => ({
  name: 'kubelet',
  command: process.execPath,
  args: [compiled('local', 'kubelet', 'main.js'), folder],
});

const POLL_MS = 100;

async function startNodes({ client }: ControlPlane, signal: AbortSignal): Promise<void> {
  await createNodes(client, signal);
  while ((await readyNodes(client, signal)) < MACHINES.length) await systemClock.sleep(POLL_MS, signal);
}

async function install(
  prepared: Prepared,
  { client }: ControlPlane,
  { progress, folder }: BringUpOptions,
  signal: AbortSignal,
): Promise<void> {
  await progress.step('cert-manager', async () => {
    await installCertManagerKinds(client, prepared.tools['cert-manager-crds.json'], signal);
    await startAll(folder, [certManagerProcess(prepared)]);
  });
  await progress.step(`kubectl apply --kustomize ${OVERLAY}`, async () => {
    await applyManifests(prepared, signal);
    await applyCloudAccess(client, prepared.accessKey, signal);
  });
  const sandbox = attachSandbox(folder);
  const parts = partsOf(prepared.record);
  await inParallel(
    signal,
    parts.map((part) => (inner: AbortSignal) => progress.step(part, () => startPart(sandbox, part, inner))),
  );
  if (parts.includes('webhook')) await progress.step('webhooks active', () => untilActive(client, signal));
}

async function startPart(sandbox: Sandbox, part: 'webhook' | 'controller', signal: AbortSignal): Promise<void> {
  await sandbox.start(part, signal);
  await sandbox.ready(part, signal);
}
