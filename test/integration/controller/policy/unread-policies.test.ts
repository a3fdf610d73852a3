import assert from 'node:assert/strict';
import type { LoadBalancerPolicySpec } from '../../../../src/policy/custom-resources.ts';
import { putOnNodes } from '../../../support/backends.ts';
import { lastFailure, INTRANET, ports, portsOf, requiring, ruled } from '../../../support/policy-controller.ts';
import {
  annotated,
  apply,
  changes,
  loadBalancers,
  messageOf,
  callCount,
  patch,
  statusAndReason,
} from '../../../support/running-controller.ts';

const BUT_WHERE_PUBLIC: LoadBalancerPolicySpec = {
  match: { namespaceSelector: { matchExpressions: [{ key: 'lb', operator: 'NotIn', values: ['public'] }] } },
  ...requiring(INTRANET),
};
const SOON_MS = 10_000;

/** Without the labels of its namespace, a Service could get attributes that a policy forbids. */
describe('a new Service while the labels of its namespace cannot be read', () => {
  it('waits if a policy forbids its attributes in some namespaces, until the labels permit them', async () => {
    const { run, setLabels } = await ruled(BUT_WHERE_PUBLIC);
    await apply(run);
    assert.deepEqual([changes(run), statusAndReason(run)[0]], [[], 'False']);
    assert.match(messageOf(run), /must be intranet.*the labels of the namespace are not known yet/);
    await setLabels('shop', { lb: 'public' });
    assert.deepEqual([loadBalancers(run).length, statusAndReason(run)[0]], [1, 'True']);
    await run.process.stop();
  });

  it('gets its load balancer if its attributes are permitted in every namespace', async () => {
    const { run } = await ruled(BUT_WHERE_PUBLIC);
    await apply(run, { annotations: annotated({ 'address-type': 'intranet' }) });
    assert.equal(loadBalancers(run).length, 1);
    await run.process.stop();
  });
});

describe('a Service while policies cannot be read', () => {
  it('waits if it is new, and gets its load balancer after they are read', async () => {
    const { run, setRead } = await ruled();
    setRead(false);
    await apply(run);
    assert.deepEqual([changes(run), statusAndReason(run)], [[], ['False', 'PolicyViolation']]);
    assert.match(messageOf(run), /has not read the policies of the cluster yet/);
    assert.match(lastFailure(run), /has not read the policies of the cluster yet/);
    setRead(true);
    await run.cluster.quiet(SOON_MS);
    assert.deepEqual([loadBalancers(run).length, statusAndReason(run)[0]], [1, 'True']);
    await run.process.stop();
  });

  it('keeps its resources if it is served, and syncs only backends', async () => {
    const { run, setRead } = await ruled();
    await apply(run);
    setRead(false);
    const since = callCount(run);
    await patch(run, {
      spec: { ports: ports(80, 81) },
      metadata: { annotations: annotated({ scheduler: 'wrr', 'additional-resource-tags': 'a=b' }) },
    });
    assert.deepEqual(
      [portsOf(run), changes(run, since), statusAndReason(run)],
      [[80], [], ['False', 'PolicyViolation']],
    );
    putOnNodes(run, ['n1']);
    await run.cluster.quiet();
    setRead(true);
    await run.cluster.quiet(SOON_MS);
    assert.deepEqual([portsOf(run), statusAndReason(run)[0]], [[80, 81], 'True']);
    await run.process.stop();
  });
});
