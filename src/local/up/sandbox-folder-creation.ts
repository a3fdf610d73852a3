import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KUBELET_USER } from '../audit-policy.ts';
import { planControlPlane, type ControlPlanePlan } from '../control-plane.ts';
import { egressConfiguration } from '../api-server-egress-proxy.ts';
import { quoted } from '../environment-file.ts';
import { kubeconfig } from '../kubeconfig.ts';
import { tokenFile } from '../kubelet/launch-spec.ts';
import { freePorts } from '../free-ports.ts';
import { cloudConfig, newAccessKey, type SeedAccessKey } from '../seed.ts';
import { binFolder, compiled, kubeletCredentialFile, logsFolder, partKubeconfig } from '../sandbox-files.ts';
import { PARTS, workloadName, writeRecord, type SandboxPart, type SandboxRecord } from '../sandbox-record.ts';
import { toolOf, type ToolName, type Tools } from '../tools/catalogue.ts';

/** The third-party processes that are not a part of Kubernetes. Each process has administrator rights and its own user name. */
const ADMINISTRATORS = ['kwok', 'cert-manager'] as const;

/** The inputs of the processes that `make up` starts: record, certificates, keys and kubeconfigs. */
export interface Prepared {
  readonly record: SandboxRecord;
  readonly plan: ControlPlanePlan;
  readonly tools: Tools;
  readonly accessKey: SeedAccessKey;
  readonly cloudConfigFile: string;
  readonly kubeconfigs: Readonly<
    Record<'kube-controller-manager' | 'kube-scheduler' | (typeof ADMINISTRATORS)[number], string>
  >;
}

/** The inputs of `prepare`. */
export interface PrepareOptions {
  readonly name: string;
  /** The absolute path of the sandbox's folder. The folder contains at most the logs of an earlier run. */
  readonly folder: string;
  readonly without: readonly SandboxPart[];
  readonly tools: Tools;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Creates the folder of a sandbox with keys, kubeconfigs and links to the tools. Runs in `make up` before the first process starts. */
export async function prepare({ name, folder, without, tools, now }: PrepareOptions): Promise<Prepared> {
  // Only the owner may read the folder, because the folder contains keys. `mkdirSync` does not change the mode of an existing folder.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  rmSync(logsFolder(folder), { recursive: true, force: true });
  mkdirSync(logsFolder(folder));
  linkTools(folder, tools);
  const [https = 0, webhookHealth = 0, controllerHealth = 0] = await freePorts(3);
  const egressSocket = socketPath(folder);
  const egressFile = privateFile(join(folder, 'egress.yaml'), egressConfiguration(egressSocket));
  const plan = await planControlPlane({
    folder,
    tools,
    now,
    apiServerArguments: [`--egress-selector-config-file=${egressFile}`],
  });
  const record: SandboxRecord = {
    name,
    folder,
    state: 'starting',
    without,
    address: plan.address,
    ports: { webhook: { https, health: webhookHealth }, controller: { health: controllerHealth } },
    egressSocket,
    environment: {},
  };
  writeRecord(record);
  return {
    record,
    plan,
    tools,
    accessKey: newAccessKey(),
    cloudConfigFile: privateFile(join(folder, 'cloud-config.conf'), cloudConfig()),
    kubeconfigs: await writeIdentities(folder, plan),
  };
}

function privateFile(path: string, text: string): string {
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Fills the folder `bin` with links to the tools and Node.js, and with the command `portcullis`. The `environment` file adds `bin` to `PATH`. */
function linkTools(folder: string, tools: Tools): void {
  mkdirSync(binFolder(folder), { recursive: true });
  for (const [name, path] of Object.entries(tools)) {
    if (toolOf(name as ToolName).kind === 'program') symlinkSync(path, join(binFolder(folder), name));
  }
  symlinkSync(process.execPath, join(binFolder(folder), 'node'));
  const program = `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(compiled('main.js'))} "$@"\n`;
  writeFileSync(join(binFolder(folder), 'portcullis'), program, { mode: 0o755 });
}

/** The maximum path length of the Unix socket in bytes. macOS allows 103 bytes, and Linux allows 107 bytes. */
const SOCKET_BYTES = 100;

/** Returns the path of the egress socket: in the sandbox's folder, or in a new temporary folder if that path is too long. */
function socketPath(folder: string): string {
  const near = join(folder, 'egress.sock');
  return Buffer.byteLength(near) <= SOCKET_BYTES
    ? near
    : join(mkdtempSync(join(tmpdir(), 'portcullis-')), 'egress.sock');
}

async function writeIdentities(folder: string, plan: ControlPlanePlan): Promise<Prepared['kubeconfigs']> {
  const client = async (name: string, commonName: string, organization?: string): Promise<string> => {
    const credential = await plan.issue({
      commonName,
      usage: 'client',
      ...(organization === undefined ? {} : { organization }),
    });
    return privateFile(join(folder, `${name}.kubeconfig`), kubeconfig(plan.address, name, credential));
  };
  const kubelet = await plan.issue({ commonName: KUBELET_USER, organization: 'system:masters', usage: 'client' });
  privateFile(kubeletCredentialFile(folder), JSON.stringify(kubelet));
  for (const part of PARTS) {
    const identity = { tokenFile: tokenFile(folder, part) };
    privateFile(partKubeconfig(folder, part), kubeconfig(plan.address, workloadName(part), identity));
  }
  const [kwok, certManager] = ADMINISTRATORS;
  return {
    'kube-controller-manager': await client('kube-controller-manager', 'system:kube-controller-manager'),
    'kube-scheduler': await client('kube-scheduler', 'system:kube-scheduler'),
    kwok: await client(kwok, kwok, 'system:masters'),
    'cert-manager': await client(certManager, certManager, 'system:masters'),
  };
}
