import assert from 'node:assert/strict';
import { SERVICES } from '../../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  loadBalancers,
  messageOf,
  callCount,
  patch,
  running,
  statusAndReason,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const MINUTE_MS = 60_000;
const CLOSED = annotated({ 'acl-status': 'on', 'acl-type': 'white', 'acl-id': 'acl-1' });
const LIST = { id: 'acl-1', name: 'office', entries: { '192.0.2.0/24': '' } };
const LOOKUP = 'DescribeAccessControlListAttribute';
const CREATION = 'CreateLoadBalancerTCPListener';

const actions = (run: Awaited<ReturnType<typeof running>>, since = 0): readonly string[] =>
  run.cluster.journal(since).map(({ action }) => action);

/** A listener without its access control list would accept every client. */
describe('an access control list that a Service names', () => {
  it('is looked up every five minutes while it is missing, and no listener is created without it', async () => {
    const run = await running();
    await apply(run, { annotations: CLOSED });
    assert.match(messageOf(run), /access control list acl-1 does not exist in this region/);
    assert.deepEqual(statusAndReason(run), ['False', 'InvalidAccessControlListRef']);
    const since = callCount(run);
    await run.cluster.quiet(11 * MINUTE_MS);
    assert.equal(actions(run, since).filter((action) => action === LOOKUP).length, 2);
    assert.ok(!actions(run).includes(CREATION));
    run.cluster.simulator.seed({ accessControlLists: [LIST] });
    await run.cluster.quiet(6 * MINUTE_MS);
    assert.deepEqual(statusAndReason(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });

  it('is looked up once for all ports, and not for a change that references no list', async () => {
    const run = await running({}, { accessControlLists: [LIST] });
    await apply(run, { annotations: CLOSED, ports: [80, 443] });
    assert.equal(actions(run).filter((action) => action === LOOKUP).length, 1);
    const since = callCount(run);
    await patch(run, { metadata: { annotations: annotated({ scheduler: 'wrr' }) } });
    assert.ok(!actions(run, since).includes(LOOKUP));
    await run.process.stop();
  });

  it('does not change an existing listener if the list is missing', async () => {
    const run = await running();
    await apply(run);
    const since = callCount(run);
    await patch(run, { metadata: { annotations: CLOSED } });
    assert.deepEqual(statusAndReason(run), ['False', 'InvalidAccessControlListRef']);
    assert.deepEqual(actions(run, since), [LOOKUP]);
    assert.equal(loadBalancers(run)[0]?.listeners.length, 1);
    await run.process.stop();
  });

  it('is checked by the cloud if the controller lacks the permission to look up the list', async () => {
    const run = await running({}, { accessControlLists: [LIST] });
    run.cluster.simulator.faults([{ action: LOOKUP, effect: 'reject', code: 'Forbidden.RAM' }]);
    run.cluster.kubernetes.put(SERVICES, aService({ annotations: CLOSED }));
    await run.cluster.quiet();
    assert.deepEqual(statusAndReason(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });
});
