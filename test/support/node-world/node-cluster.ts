import { join } from 'node:path';
import { controllerKubernetes, type ControllerKubernetes } from '../../../src/kubernetes/api.ts';
import { Writer } from '../../../src/kubernetes/writer.ts';
import { startControlPlane, type TestControlPlane } from '../control-plane.ts';
import { startControllerManager } from '../controller-manager.ts';
import { access, transportFor, until } from '../kubernetes-access.ts';

/** What kube-controller-manager gives to Nodes; the ranges that histories are held to. */
export const PODS = '172.20.0.0/16';
export const PODS_IPV6 = 'fd00:172:20::/48';
const PREFIXES = [26, 64] as const;

/** A real control plane with kube-controller-manager, and the controller's own access to it. */
export interface NodeCluster extends AsyncDisposable {
  readonly plane: TestControlPlane;
  /** With the rights that the controller is shipped with. */
  readonly controller: ControllerKubernetes;
  /** People, kubelets and their kind. */
  readonly people: Writer;
  /** Nodes get ranges of both families from now on. */
  dualStack(): Promise<void>;
}

export async function startNodeCluster(): Promise<NodeCluster> {
  await using resources = new AsyncDisposableStack();
  const plane = resources.use(await startControlPlane());
  let manager = await startControllerManager(plane, { clusterCidrs: [PODS], nodePrefixes: PREFIXES });
  // Whichever it is by then.
  resources.defer(() => manager[Symbol.asyncDispose]());
  for (const part of ['namespace', 'controller']) {
    await plane.kubectl('apply', '--server-side', '-k', join(import.meta.dirname, '../../../manifests', part));
  }
  const account = await plane.kubeconfigFor('portcullis-system/portcullis-controller');
  const controller = resources.use(controllerKubernetes({ ...(await access(account)), identity: 'nodes' }));
  const people = resources.use(await transportFor(plane.kubeconfig));
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
    people: new Writer(people),
    dualStack: async () => {
      await manager[Symbol.asyncDispose]();
      // It does not even begin where a Node has a range that is none of its own.
      await plane.kubectl('delete', 'nodes', '--all');
      manager = await startControllerManager(plane, { clusterCidrs: [PODS, PODS_IPV6], nodePrefixes: PREFIXES });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
