import { compiled, partKubeconfig } from '../sandbox-files.ts';
import type { SandboxPart, SandboxRecord } from '../sandbox-record.ts';
import type { PodMachine } from './launch-spec.ts';

/** The variables that point cloud clients to the simulator. */
const CLOUD_VARIABLES = [
  'SLB_ENDPOINT',
  'VPC_ENDPOINT',
  'ECS_ENDPOINT',
  'STS_ENDPOINT',
  'METADATA_ENDPOINT',
  'ALICLOUD_CLIENT_SCHEME',
];

/**
 * Returns what the sandbox's kubelet uses instead of a part's image and network: program, kubeconfig, ports, environment. The kubelet passes the
 * result to `launchSpec`.
 */
export const machineOf = (record: SandboxRecord, part: SandboxPart): Omit<PodMachine, 'podFolder'> => ({
  entrypoint: [process.execPath, compiled('main.js')],
  kubeconfig: partKubeconfig(record.folder, part),
  ports: record.ports[part],
  environment:
    part === 'controller'
      ? Object.fromEntries(CLOUD_VARIABLES.map((name) => [name, record.environment[name] ?? '']))
      : {},
});
