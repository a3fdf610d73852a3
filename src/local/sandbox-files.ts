import { join } from 'node:path';
import { repositoryRoot } from './repository.ts';
import type { Machine } from './kubelet/launch.ts';
import type { Part, SandboxRecord } from './sandbox-record.ts';

/** Where things lie in a sandbox's folder. */
export const logsFolder = (folder: string): string => join(folder, 'logs');
export const binFolder = (folder: string): string => join(folder, 'bin');
export const environmentFile = (folder: string): string => join(folder, 'environment');
export const kubeletCredentialFile = (folder: string): string => join(folder, 'pki', 'kubelet.json');
export const partKubeconfig = (folder: string, part: Part): string => join(folder, `${part}.kubeconfig`);

/** A compiled file of ours: processes run what `make build` made, in the sandbox as in the image. */
export const compiled = (...path: readonly string[]): string => join(repositoryRoot(), 'dist', 'src', ...path);

/** Where the simulator is, for a process that believes in the cloud. */
const CLOUD_VARIABLES = [
  'SLB_ENDPOINT',
  'VPC_ENDPOINT',
  'ECS_ENDPOINT',
  'STS_ENDPOINT',
  'METADATA_ENDPOINT',
  'ALICLOUD_CLIENT_SCHEME',
];

/** How a part runs on this machine. */
export const machineOf = (record: SandboxRecord, part: Part): Omit<Machine, 'podFolder'> => ({
  entrypoint: [process.execPath, compiled('main.js')],
  kubeconfig: partKubeconfig(record.folder, part),
  ports: record.ports[part],
  environment:
    part === 'controller'
      ? Object.fromEntries(CLOUD_VARIABLES.map((name) => [name, record.environment[name] ?? '']))
      : {},
});
