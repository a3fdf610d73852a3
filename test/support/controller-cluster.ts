import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { borrowControlPlane } from './borrowed-control-plane.ts';
import type { TestControlPlane } from './control-plane.ts';
import { watchRun, type WatchedRun } from './invariants/watched-run.ts';
import { ACCESS_KEY, startSimulator, type SimulatorServer } from './simulator.ts';
import { spawnController, type SpawnedController } from './spawned-controller.ts';

/** A real API server with the controller's permissions and three Nodes, and a cloud with their instances. The disposal checks the history. */
export interface ControllerCluster extends AsyncDisposable {
  readonly plane: TestControlPlane;
  readonly cloud: SimulatorServer;
  /** The flags of a valid configuration. Later flags override earlier ones. */
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  /** The history so far, which can be checked at any time. */
  readonly run: WatchedRun;
  /** Starts a controller process. The parameters add flags and variables, or override those of the same name. The output is checked for secrets. */
  readonly start: (
    flags?: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ) => Promise<SpawnedController>;
}

export const node = (index: number): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `n${index}` },
  spec: { providerID: `cn-hangzhou.i-${index}` },
});

const POD_RANGE = '10.244.0.0/16';

async function register({ client }: TestControlPlane, index: number): Promise<void> {
  await client.create('/api/v1/nodes', node(index));
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Up', message: '' }];
  await client.patch(`/api/v1/nodes/n${index}/status`, { status: { conditions } });
  // The API server adds a taint to every new Node.
  await client.patch(`/api/v1/nodes/n${index}`, { spec: { taints: null } });
}

async function install(plane: TestControlPlane): Promise<void> {
  const apply = (part: string): Promise<string> =>
    plane.kubectl('apply', '--server-side', '-k', join(import.meta.dirname, '../../manifests', part));
  await apply('namespace');
  await Promise.all([apply('crds'), apply('controller'), ...[1, 2, 3].map((index) => register(plane, index))]);
}

export async function startControllerCluster(): Promise<ControllerCluster> {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-controller-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const plane = resources.use(await borrowControlPlane());
  const run = watchRun({ plane, clusterCidrs: [POD_RANGE], secrets: [ACCESS_KEY.secret] });
  const cloud = await startSimulator({ watcher: run.cloud });
  run.cloud.of(cloud.simulator);
  resources.use(cloud);
  await install(plane);
  const config = join(folder, 'cloud-config.conf');
  const global = { clusterID: 'c1', region: 'cn-hangzhou', vpcid: 'vpc-1', vswitchid: 'vsw-1' };
  await writeFile(config, JSON.stringify({ Global: global }));
  const flags = [
    `--kubeconfig=${await plane.kubeconfigFor('portcullis-system/portcullis-controller')}`,
    `--cloud-config=${config}`,
    `--cluster-cidr=${POD_RANGE}`,
  ];
  const environment = {
    SLB_ENDPOINT: cloud.host,
    VPC_ENDPOINT: cloud.host,
    ECS_ENDPOINT: cloud.host,
    STS_ENDPOINT: cloud.host,
    METADATA_ENDPOINT: cloud.url,
    ALICLOUD_CLIENT_SCHEME: 'HTTP',
    ACCESS_KEY_ID: ACCESS_KEY.id,
    ACCESS_KEY_SECRET: ACCESS_KEY.secret,
  };
  const owned = resources.move();
  return {
    ...{ plane, cloud, folder, run, flags, environment },
    start: async (more = [], other = {}) => {
      const controller = await spawnController([...flags, ...more], { ...environment, ...other });
      run.printedBy(controller.output);
      return controller;
    },
    [Symbol.asyncDispose]: async () => {
      try {
        await run.assertKept();
      } finally {
        await owned.disposeAsync();
      }
    },
  };
}
