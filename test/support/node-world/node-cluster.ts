import { join } from 'node:path';
import { controllerKubernetes, type ControllerKubernetes } from '../../../src/kubernetes/controller-webhook-clients.ts';
import { Writer } from '../../../src/kubernetes/writer.ts';
import { borrowControlPlane } from '../borrowed-control-plane.ts';
import type { TestControlPlane } from '../control-plane.ts';
import { startControllerManager } from '../controller-manager.ts';
import { access, transportFor, until } from '../kubernetes-access.ts';

/** The range from which kube-controller-manager assigns pod ranges. Histories are checked against it. */
export const PODS = '172.20.0.0/16';
export const PODS_IPV6 = 'fd00:172:20::/48';
const PREFIXES = [26, 64] as const;

/** A real control plane with kube-controller-manager, and access with the controller's account. The scenarios of integration/nodes share it. */
export interface NodeCluster extends AsyncDisposable {
  readonly plane: TestControlPlane;
  /** Client with the shipped permissions of the controller. */
  readonly controller: ControllerKubernetes;
  /** Writer for users, kubelets and other components. */
  readonly user: Writer;
  /** Restarts kube-controller-manager, so that Nodes get ranges of both families. */
  dualStack(): Promise<void>;
}

export async function startNodeCluster(): Promise<NodeCluster> {
  await using resources = new AsyncDisposableStack();
  const plane = resources.use(await borrowControlPlane());
  let manager = await startControllerManager(plane, { clusterCidrs: [PODS], nodePrefixes: PREFIXES });
  // `dualStack` replaces the manager.
  resources.defer(() => manager[Symbol.asyncDispose]());
  for (const part of ['namespace', 'controller']) {
    await plane.kubectl('apply', '--server-side', '-k', join(import.meta.dirname, '../../../manifests', part));
  }
  const account = await plane.kubeconfigFor('portcullis-system/portcullis-controller');
  const controller = resources.use(controllerKubernetes({ ...(await access(account)), identity: 'nodes' }));
  const user = resources.use(await transportFor(plane.kubeconfig));
  const stop = new AbortController();
  const following = controller.run(stop.signal);
  resources.defer(async () => {
    stop.abort();
    await following;
  });
  await until('the caches of the controller to be synced', () => controller.caches.nodes.hasSynced());
  const owned = resources.move();
  return {
    plane,
    controller,
    user: new Writer(user),
    dualStack: async () => {
      await manager[Symbol.asyncDispose]();
      // kube-controller-manager does not start if a Node has a range outside its own ranges.
      await plane.kubectl('delete', 'nodes', '--all');
      manager = await startControllerManager(plane, { clusterCidrs: [PODS, PODS_IPV6], nodePrefixes: PREFIXES });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
