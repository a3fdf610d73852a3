import { join } from 'node:path';
import { controllerKubernetes } from '../../../src/kubernetes/api.ts';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { access, until } from '../../support/kubernetes-access.ts';
import { root } from '../../support/manifests.ts';
import { startWebhook } from '../../support/webhook-process.ts';

describe('an API server that streams no lists', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;

  before(async () => {
    cluster = resources.use(await startAdmissionCluster({ apiServerArguments: ['--feature-gates=WatchList=false'] }));
    await cluster.plane.kubectl('apply', '--server-side', '-k', join(root, 'manifests/controller'));
    // Namespaces are read where there is one.
    await cluster.plane.client.create('/apis/portcullis.io/v1alpha1/loadbalancerpolicies', {
      apiVersion: 'portcullis.io/v1alpha1',
      kind: 'LoadBalancerPolicy',
      metadata: { name: 'p' },
      spec: { rules: [{ rule: 'target-port', mode: 'warn' }] },
    });
  });
  after(() => resources.disposeAsync());

  it('is read in pages by the webhook, with the rights that it is shipped with', async () => {
    await using webhook = await startWebhook(cluster.flags);
    await webhook.ready();
  });

  for (const endpointSource of ['slices', 'endpoints'] as const) {
    it(`is read in pages by the controller, ${endpointSource} among the rest, with the rights that it is shipped with`, async () => {
      const account = await cluster.plane.kubeconfigFor('portcullis-system/portcullis-controller');
      await using kubernetes = controllerKubernetes({ ...(await access(account)), identity: 'paged', endpointSource });
      const stop = new AbortController();
      const running = kubernetes.run(stop.signal);
      await until('every cache to be filled', () => {
        const { caches, policies } = kubernetes;
        const problems = [...Object.values(caches.checks), ...Object.values(policies.checks)].map((check) => check());
        return problems.every((problem) => problem === undefined) && policies.namespaces.hasSynced();
      });
      stop.abort();
      await running;
    });
  }
});
