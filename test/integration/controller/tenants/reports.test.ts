import assert from 'node:assert/strict';
import { parse, stringify } from 'yaml';
import { startControllerCluster, type ControllerCluster } from '../../../support/controller-cluster.ts';
import { makeOwner } from '../../../support/namespace-owner.ts';
import { POLICY_REPORTS } from '../../../support/report-crds.ts';
import type { StoredReport } from '../../../support/reports.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
/** The load balancer on which both Services request the same port. */
const SHARED = 'lb-shared';

const namespace = (name: string): object => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const service = (name: string, of: string): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: of, annotations: { [`${KEY}id`]: SHARED, [`${KEY}force-override-listeners`]: 'true' } },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
});
const POLICY = {
  apiVersion: 'portcullis.io/v1alpha1',
  kind: 'LoadBalancerPolicy',
  metadata: { name: 'p' },
  spec: { constraints: [{ name: 'internal', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] }] },
};
/** Lets users with read access to a namespace read its reports, like the role that the report projects ship. */
const READERS = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'report-readers', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
  rules: [{ apiGroups: ['wgpolicyk8s.io'], resources: ['policyreports'], verbs: ['get', 'list', 'watch'] }],
};
/** Namespaces with the texts that the other namespace must not see. */
const OWNERS = { shop: { others: 'bank', secret: /bank|vault/ }, bank: { others: 'shop', secret: /shop|window/ } };

/** Reports must not show a tenant the Services of another tenant. */
describe('a report of violations, with the rights of a namespace owner', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: ControllerCluster;
  const as = (owner: string, ...args: readonly string[]) => cluster.plane.kubectlWith('', ...args, `--as=${owner}`);

  before(async () => {
    cluster = resources.use(await startControllerCluster());
    const { plane, cloud } = cluster;
    cloud.simulator.seed({ loadBalancers: [{ id: SHARED, name: 'shared', address: '47.1.1.1' }] });
    const put = async (...objects: readonly object[]): Promise<void> => {
      const text = objects.map((each) => stringify(each)).join('---\n');
      const { code, stderr } = await plane.kubectlWith(text, 'apply', '--validate=strict', '-f', '-');
      assert.equal(code, 0, stderr);
    };
    await put(parse(POLICY_REPORTS) as object, namespace('shop'), namespace('bank'), READERS);
    for (const owner of Object.keys(OWNERS)) await makeOwner(plane, owner, owner);
    const controller = resources.use(await cluster.start([]));
    await controller.ready();
    // The first Service has the port. The report of the second Service must not name the first Service.
    await put(service('window', 'shop'));
    await plane.kubectl('wait', 'service/window', '-n', 'shop', '--for=condition=LoadBalancerReady', '--timeout=60s');
    await put(service('vault', 'bank'), POLICY);
    for (const owner of Object.keys(OWNERS)) {
      const report = ['policyreports/portcullis', '-n', owner, '--timeout=60s'];
      await plane.kubectl('wait', ...report, '--for=create');
    }
    await plane.kubectl('wait', 'lbp/p', '--for=jsonpath={.status.violations[0].services}=2', '--timeout=60s');
  });
  after(() => resources.disposeAsync());

  it('has a summary in the status of the policy, which names Services of all namespaces', async () => {
    const path = 'jsonpath={.status.violations[0].examples}';
    const examples = await cluster.plane.kubectl('get', 'lbp', 'p', '-o', path);
    assert.deepEqual((JSON.parse(examples) as readonly string[]).toSorted(), ['bank/vault', 'shop/window']);
  });

  it('reports that another Service has the port', async () => {
    const text = await cluster.plane.kubectl('get', 'policyreports', 'portcullis', '-n', 'bank', '-o', 'json');
    assert.match(text, /80\/tcp.*already used by another Service of this cluster/);
  });

  for (const [owner, { others, secret }] of Object.entries(OWNERS)) {
    it(`can be read by the owner of ${owner}, and names nothing of ${others}`, async () => {
      const { code, stdout, stderr } = await as(owner, 'get', 'policyreports', '-n', owner, '-o', 'json');
      assert.equal(code, 0, stderr);
      const { items } = JSON.parse(stdout) as { readonly items: readonly StoredReport[] };
      assert.deepEqual(
        items.map(({ metadata }) => metadata.name),
        ['portcullis'],
      );
      assert.ok(items.some(({ results }) => results.some(({ rule }) => rule === 'internal')));
      assert.doesNotMatch(stdout, secret);
    });

    it(`of ${others} cannot be read by the owner of ${owner}, nor can the status of the policy`, async () => {
      for (const args of [
        ['get', 'policyreports', '-n', others],
        ['get', 'policyreports', 'portcullis', '-n', others, '-o', 'yaml'],
        ['get', 'policyreports', '--all-namespaces'],
        ['get', 'policyreports', '-n', others, '--watch', '--request-timeout=5s'],
        ['get', 'lbp', 'p', '-o', 'jsonpath={.status.violations}'],
        ['get', 'lbp', 'p', '--subresource=status'],
        ['get', 'lbp'],
      ]) {
        const { code, stdout, stderr } = await as(owner, ...args);
        assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, args.join(' '));
        assert.match(stderr, /forbidden/);
        assert.doesNotMatch(stderr, /vault|window/);
      }
    });
  }
});
