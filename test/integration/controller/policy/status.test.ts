import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { startControllerCluster, type ControllerCluster } from '../../../support/controller-cluster.ts';
import { OPEN_REPORTS, POLICY_REPORTS } from '../../../support/report-crds.ts';
import type { StoredReport } from '../../../support/reports.ts';

const object = (kind: string, name: string, spec: object): string =>
  stringify({ apiVersion: 'portcullis.io/v1alpha1', kind, metadata: { name }, spec });

/** Flags without leader election: processes run in sequence, so that no Lease has to expire. */
const ALONE = ['--leader-elect=false'];

const SPEC = {
  constraints: [{ name: 'internal', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] }],
  quotas: [{ name: 'few', per: 'policy', loadBalancers: 9 }],
};

/** Runs the real process, because RBAC limits the status of policies and the reports. */
describe('the status of policies, with the shipped RBAC', function () {
  this.timeout(180_000);
  const resources = new AsyncDisposableStack();
  let cluster: ControllerCluster;

  before(async () => {
    cluster = resources.use(await startControllerCluster());
  });
  after(() => resources.disposeAsync());

  const put = async (text: string): Promise<void> => {
    const { code, stderr } = await cluster.plane.kubectlWith(text, 'apply', '--validate=strict', '-f', '-');
    assert.equal(code, 0, stderr);
  };
  const wait = (what: string, state: string): Promise<string> =>
    cluster.plane.kubectl('wait', what, `--for=${state}`, '--timeout=60s');

  it('shows whether policies and exceptions are in effect', async () => {
    await using controller = await cluster.start(ALONE);
    await controller.ready();
    await put(object('LoadBalancerPolicy', 'p', SPEC));
    const exception = {
      rule: 'policy/p/internal',
      object: { namespace: 'default', name: 'web' },
      owner: 'team-web',
      reason: 'it is moved next week',
      expires: '2100-01-01T00:00:00Z',
    };
    await put(object('LoadBalancerException', 'e', exception));
    await wait('lbp/p', 'condition=Ready');
    await wait('lbx/e', 'condition=Active');
    await wait('lbp/p', 'jsonpath={.status.totalViolations}=0');
    assert.match(
      await cluster.plane.kubectl('get', 'lbp', 'p'),
      /^NAME +READY +MODE +NAMESPACES +VIOLATIONS +AGE\np +True +enforce +\d+ +0 +/,
    );
    const usage = await cluster.plane.kubectl('get', 'lbp', 'p', '-o', 'jsonpath={.status.usage}');
    assert.deepEqual(JSON.parse(usage), [{ name: 'few', used: { loadBalancers: 0 }, hard: { loadBalancers: 9 } }]);
    const { text: metrics } = await controller.probe('/metrics');
    for (const series of [
      'portcullis_policy_quota_used{policy="p",quota="few",dimension="loadBalancers"} 0',
      'portcullis_policy_quota_hard{policy="p",quota="few",dimension="loadBalancers"} 9',
      'portcullis_services{ready="true",reason="EnsuredLoadBalancer"} 0',
    ])
      assert.ok(metrics.includes(`\n${series}\n`), series);
    const more = { name: 'external', require: [{ annotation: 'address-type', oneOf: ['internet'] }] };
    await put(object('LoadBalancerPolicy', 'p', { constraints: [...SPEC.constraints, more] }));
    await wait('lbp/p', 'condition=Ready=False');
    const status = await cluster.plane.kubectl('get', 'lbp', 'p', '-o', 'jsonpath={.status}');
    assert.match(status, /no value of address-type meets these constraints/);
    assert.doesNotMatch(status, /usage/);
    assert.doesNotMatch(controller.output(), /failed to write/);
  });

  const TEAM_SHOP = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
  const service = (name: string): string =>
    stringify({
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'shop' } },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    });
  const failing = async (kind: string, count: number): Promise<void> => {
    const report = [`${kind}/portcullis`, '-n', 'shop', '--timeout=60s'];
    await cluster.plane.kubectl('wait', ...report, '--for=create');
    await cluster.plane.kubectl('wait', ...report, `--for=jsonpath={.summary.fail}=${count}`);
  };

  it('counts as many violations as the report, whose kind is the newest that is installed', async () => {
    await put(POLICY_REPORTS);
    await put([stringify(TEAM_SHOP), service('a'), object('LoadBalancerPolicy', 'p', SPEC)].join('---\n'));
    {
      await using controller = await cluster.start(ALONE);
      await controller.ready();
      await failing('policyreports', 1);
      await put(service('b'));
      await failing('policyreports', 2);
    }
    await put(OPEN_REPORTS);
    await using controller = await cluster.start(ALONE);
    await controller.ready();
    await failing('reports', 2);
    await cluster.plane.kubectl('wait', 'policyreports/portcullis', '-n', 'shop', '--for=delete', '--timeout=60s');
    const text = await cluster.plane.kubectl('get', 'reports', 'portcullis', '-n', 'shop', '-o', 'json');
    const { source, results } = JSON.parse(text) as StoredReport;
    assert.equal(source, 'portcullis');
    assert.deepEqual(
      results.map(({ policy, rule, result, severity, scored }) => [policy, rule, result, severity, scored]),
      Array.from({ length: 2 }, () => ['p', 'internal', 'fail', 'medium', true]),
    );
    assert.match(JSON.stringify(results[0]?.resources), /"kind":"Service","name":"a","namespace":"shop"/);
    assert.match(results[0]?.properties['field'] ?? '', /address-type/);
    const violations = await cluster.plane.kubectl(
      'get',
      'lbp',
      'p',
      '-o',
      'jsonpath={.status.violations[0].services}',
    );
    assert.equal(violations, '2');
    await cluster.plane.kubectl('delete', 'service', 'a', '-n', 'shop');
    await failing('reports', 1);
    await cluster.plane.kubectl('delete', 'service', 'b', '-n', 'shop');
    await cluster.plane.kubectl('wait', 'reports/portcullis', '-n', 'shop', '--for=delete', '--timeout=60s');
    assert.doesNotMatch(controller.output(), /failed to write/);
  });
});
