import { join } from 'node:path';
import { controllerKubernetes } from '../../../src/kubernetes/controller-webhook-clients.ts';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { access, until } from '../../support/kubernetes-access.ts';
import { root } from '../../support/manifests.ts';
import { OPEN_REPORTS, POLICY_REPORTS } from '../../support/report-crds.ts';
import { startWebhook } from '../../support/webhook-process.ts';

/** Older API servers have no streaming lists. Without pages, the processes would never become ready. */
describe('an API server without streaming lists', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;

  before(async () => {
    cluster = resources.use(await startAdmissionCluster({ apiServerArguments: ['--feature-gates=WatchList=false'] }));
    await cluster.plane.kubectl('apply', '--server-side', '-k', join(root, 'manifests/controller'));
    for (const definition of [POLICY_REPORTS, OPEN_REPORTS]) {
      await cluster.plane.kubectlWith(definition, 'create', '-f', '-');
    }
    await cluster.plane.kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
    // Namespaces are only read if a policy exists.
    await cluster.plane.client.create('/apis/portcullis.io/v1alpha1/loadbalancerpolicies', {
      apiVersion: 'portcullis.io/v1alpha1',
      kind: 'LoadBalancerPolicy',
      metadata: { name: 'p' },
      spec: { rules: [{ rule: 'target-port', mode: 'warn' }] },
    });
  });
  after(() => resources.disposeAsync());

  it('is read in pages by the webhook, with the shipped RBAC', async () => {
    await using webhook = await startWebhook(cluster.flags);
    await webhook.ready();
  });

  for (const endpointSource of ['slices', 'endpoints'] as const) {
    it(`is read in pages by the controller, including ${endpointSource}, with the shipped RBAC`, async () => {
      const account = await cluster.plane.kubeconfigFor('portcullis-system/portcullis-controller');
      await using kubernetes = controllerKubernetes({ ...(await access(account)), identity: 'paged', endpointSource });
      const stop = new AbortController();
      const { caches, policies, api } = kubernetes;
      const running = Promise.all([kubernetes.run(stop.signal), api.reports?.run(stop.signal)]);
      await until('every cache to be filled', () => {
        const problems = [...Object.values(caches.checks), ...Object.values(policies.checks)].map((check) => check());
        const states = (api.reports?.reportStores ?? []).map((store) => store.state());
        return (
          problems.every((problem) => problem === undefined) &&
          policies.namespaces.hasSynced() &&
          states.every((state) => state === 'served')
        );
      });
      stop.abort();
      await running;
    });
  }
});
