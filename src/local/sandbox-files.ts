import { join } from 'node:path';
import { repositoryRoot } from './repository.ts';
import type { PodMachine } from './kubelet/launch-spec.ts';
import type { SandboxPart, SandboxRecord } from './sandbox-record.ts';

/** Returns the folder of the logs. Like the next four functions, takes the folder of a sandbox and returns a path in that folder. */
export const logsFolder = (folder: string): string => join(folder, 'logs');
export const binFolder = (folder: string): string => join(folder, 'bin');
export const environmentFile = (folder: string): string => join(folder, 'environment');
export const kubeletCredentialFile = (folder: string): string => join(folder, 'pki', 'kubelet.json');
export const partKubeconfig = (folder: string, part: SandboxPart): string => join(folder, `${part}.kubeconfig`);

/** Returns the path of a compiled file. The Node.js processes of a sandbox run the output of `make build`, as in the image. */
export const compiled = (...path: readonly string[]): string => join(repositoryRoot(), 'dist', 'src', ...path);

/** The variables that point cloud clients to the simulator. */
const CLOUD_VARIABLES = [
  'SLB_ENDPOINT',
  'VPC_ENDPOINT',
  'ECS_ENDPOINT',
  'STS_ENDPOINT',
  'METADATA_ENDPOINT',
  'ALICLOUD_CLIENT_SCHEME',
];

/** Returns the properties of this machine that replace the image and the network of a part's pod. The kubelet passes the result to `launchSpec`. */
export const machineOf = (record: SandboxRecord, part: SandboxPart): Omit<PodMachine, 'podFolder'> => ({
  entrypoint: [process.execPath, compiled('main.js')],
  kubeconfig: partKubeconfig(record.folder, part),
  ports: record.ports[part],
  environment:
    part === 'controller'
      ? Object.fromEntries(CLOUD_VARIABLES.map((name) => [name, record.environment[name] ?? '']))
      : {},
});
