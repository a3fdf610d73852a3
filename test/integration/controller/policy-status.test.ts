import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { startControllerCluster, type ControllerCluster } from '../../support/controller-cluster.ts';

const object = (kind: string, name: string, spec: object): string =>
  stringify({ apiVersion: 'portcullis.io/v1alpha1', kind, metadata: { name }, spec });

const SPEC = {
  constraints: [{ name: 'internal', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] }],
  quotas: [{ name: 'few', per: 'policy', loadBalancers: 9 }],
};

describe('policies and exceptions, with the rights that the controller is shipped with', function () {
  this.timeout(120_000);
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
  const wait = (what: string, condition: string): Promise<string> =>
    cluster.plane.kubectl('wait', what, `--for=condition=${condition}`, '--timeout=60s');

  it('say how they stand', async () => {
    await using controller = await cluster.start([]);
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
    await wait('lbp/p', 'Ready');
    await wait('lbx/e', 'Active');
    assert.match(await cluster.plane.kubectl('get', 'lbp', 'p'), /\np +True +\d+ /);
    const usage = await cluster.plane.kubectl('get', 'lbp', 'p', '-o', 'jsonpath={.status.usage}');
    assert.deepEqual(JSON.parse(usage), [{ name: 'few', loadBalancers: 0 }]);
    const more = { name: 'external', require: [{ annotation: 'address-type', oneOf: ['internet'] }] };
    await put(object('LoadBalancerPolicy', 'p', { constraints: [...SPEC.constraints, more] }));
    await wait('lbp/p', 'Ready=False');
    const status = await cluster.plane.kubectl('get', 'lbp', 'p', '-o', 'jsonpath={.status}');
    assert.match(status, /nothing can be what is asked for of address-type/);
    assert.doesNotMatch(status, /usage/);
    assert.doesNotMatch(controller.output(), /could not be written/);
  });
});
