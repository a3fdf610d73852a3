import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { startControlPlane, type TestControlPlane } from './control-plane.ts';
import { ACCESS_KEY, startSimulator, type SimulatorServer } from './simulator.ts';

/** A real API server with our definitions and the controller's own rights, three Nodes, and a cloud with their instances. */
export interface ControllerCluster extends AsyncDisposable {
  readonly plane: TestControlPlane;
  readonly cloud: SimulatorServer;
  /** Of a good configuration; more can be added, later ones win. */
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
}

export const node = (index: number): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `n${index}` },
  spec: { providerID: `cn-hangzhou.i-${index}` },
});

export async function startControllerCluster(): Promise<ControllerCluster> {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-controller-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const plane = resources.use(await startControlPlane());
  const cloud = await startSimulator();
  resources.use(cloud);
  for (const part of ['namespace', 'crds', 'controller']) {
    await plane.kubectl('apply', '--server-side', '-k', join(import.meta.dirname, '../../manifests', part));
  }
  for (const index of [1, 2, 3]) {
    await plane.kubectlWith(stringify(node(index)), 'create', '-f', '-');
    const status = { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Up', message: '' }] } };
    await plane.kubectl(
      'patch',
      'node',
      `n${index}`,
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify(status),
    );
    await plane.kubectl('taint', 'node', `n${index}`, 'node.kubernetes.io/not-ready-').catch(() => undefined);
  }
  const config = join(folder, 'cloud-config.conf');
  const global = { clusterID: 'c1', region: 'cn-hangzhou', vpcid: 'vpc-1', vswitchid: 'vsw-1' };
  await writeFile(config, JSON.stringify({ Global: global }));
  const owned = resources.move();
  return {
    plane,
    cloud,
    folder,
    flags: [
      `--kubeconfig=${await plane.kubeconfigFor('portcullis-system/portcullis-controller')}`,
      `--cloud-config=${config}`,
      '--cluster-cidr=10.244.0.0/16',
    ],
    environment: {
      SLB_ENDPOINT: cloud.host,
      VPC_ENDPOINT: cloud.host,
      ECS_ENDPOINT: cloud.host,
      ALICLOUD_CLIENT_SCHEME: 'HTTP',
      ACCESS_KEY_ID: ACCESS_KEY.id,
      ACCESS_KEY_SECRET: ACCESS_KEY.secret,
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
