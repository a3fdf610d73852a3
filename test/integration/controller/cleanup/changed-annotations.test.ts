import assert from 'node:assert/strict';
import { cloudPicture } from '../../../support/cloud-picture.ts';
import { AN_AUDIT_MS, SERVICES } from '../../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  changes,
  loadBalancers,
  callCount,
  patch,
  running,
  type Running,
} from '../../../support/running-controller.ts';
import {
  AS_CLUSTER_IP,
  during,
  FINALIZER,
  finalizersOf,
  ID_LABEL,
  remove,
  STATES,
} from '../../../support/service-changes.ts';
import { aService } from '../../../support/service.ts';

const listeners = [{ port: 22, protocol: 'tcp' }];
const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1', tags: { cost: '7' }, listeners },
    { id: 'lb-b', name: 'b', address: '47.1.1.2', tags: { 'kubernetes.reused.by.user': 'true' }, listeners },
    { id: 'lb-c', name: 'c', address: '47.1.1.3' },
  ],
};
const OVERRIDE = { 'force-override-listeners': 'true' };
const A = { id: 'lb-a', ...OVERRIDE };

interface Row {
  readonly served: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
  /** The label of the Alibaba Cloud Controller Manager. */
  readonly label?: string | null;
}

const ROWS: Readonly<Record<string, Row>> = {
  'has an owned load balancer and names a user-managed load balancer': { served: {}, annotations: A },
  'has an owned load balancer and names a user-managed one, with no label': {
    served: {},
    annotations: A,
    label: null,
  },
  'has an owned load balancer and names two user-managed load balancers': { served: {}, annotations: A, label: 'lb-c' },
  'has an owned load balancer and names a missing load balancer': {
    served: {},
    annotations: { id: 'lb-nope' },
    label: 'lb-nope',
  },
  'has an owned load balancer and no label': { served: {}, label: null },
  'uses a user-managed load balancer and no longer names it': { served: A, annotations: { id: null } },
  'uses a user-managed load balancer and has no annotations': {
    served: A,
    annotations: { id: null, 'force-override-listeners': null },
  },
  'uses a user-managed load balancer and names another': { served: A, annotations: { id: 'lb-b' } },
  'uses a user-managed load balancer, and annotation and label name another': {
    served: A,
    annotations: { id: 'lb-c' },
    label: 'lb-c',
  },
};

const changeOf = ({ annotations = {}, label }: Row) => ({
  metadata: { annotations: annotated(annotations), ...(label === undefined ? {} : { labels: { [ID_LABEL]: label } }) },
});

const ENDS: Readonly<Record<string, (run: Running, row: Row) => Promise<void>>> = {
  'is deleted': async (run, row) => {
    await patch(run, changeOf(row));
    await remove(run);
  },
  'becomes ClusterIP': (run, row) => patch(run, { ...AS_CLUSTER_IP, ...changeOf(row) }),
};

/** The annotations of a Service can change right before its deletion. Cleanup must find all resources nevertheless, and no others. */
for (const [what, row] of Object.entries(ROWS))
  describe(`a Service that ${what}`, () => {
    for (const [how, end] of Object.entries(ENDS))
      for (const [by, state] of Object.entries(STATES))
        it(`is cleaned up${by} if it ${how}`, async () => {
          const run = await running({}, SEED);
          const before = cloudPicture(run.cluster.simulator);
          await apply(run, { annotations: annotated(row.served) });
          const next = await during(run, state, () => end(run, row));
          await run.cluster.quiet(AN_AUDIT_MS);
          assert.deepEqual([cloudPicture(run.cluster.simulator), finalizersOf(run)], [before, []]);
          await next.process.stop();
        });
  });

describe('a Service on a user-managed load balancer', () => {
  it('is cleaned up after calls are rejected while it names another load balancer', async () => {
    const run = await running({}, SEED);
    const before = cloudPicture(run.cluster.simulator);
    await apply(run, { annotations: annotated(A) });
    run.cluster.simulator.faults([{ action: 'DeleteVServerGroup', effect: 'reject', code: 'InternalError', count: 5 }]);
    await patch(run, { ...AS_CLUSTER_IP, metadata: { annotations: annotated({ id: 'lb-b' }) } });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([cloudPicture(run.cluster.simulator), finalizersOf(run)], [before, []]);
    await run.process.stop();
  });

  it('is cleaned up after a new read of its load balancer, listeners and server groups', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: annotated(A) });
    const since = callCount(run);
    await patch(run, AS_CLUSTER_IP);
    const changing = ['DeleteLoadBalancerListener', 'DeleteVServerGroup'];
    assert.deepEqual(changes(run, since), changing);
    assert.deepEqual(
      run.cluster.calls(since).filter((action) => !changing.includes(action)),
      [
        'DescribeLoadBalancerAttribute',
        'DescribeLoadBalancerListeners',
        'DescribeVServerGroups',
        'DescribeVServerGroupAttribute',
      ],
    );
    await run.process.stop();
  });
});

describe('a Service that the existing controller moved to a user-managed load balancer', () => {
  const OWN = {
    ...{ id: 'lb-own', name: 'own', address: '47.1.1.9' },
    tags: { 'kubernetes.do.not.delete': 'a5e4dbfc9c2ae4642b0335607860aef6', 'ack.aliyun.com': 'c1' },
  };
  const moved = {
    ...{ id: 'lb-b', name: 'b', address: '47.1.1.2', tags: { 'kubernetes.reused.by.user': 'true' } },
    listeners: [{ port: 80, protocol: 'tcp', attributes: { Description: 'k8s/80/web/shop/c1' } }],
  };

  it('is cleaned up on both load balancers if the first call of the cleanup fails', async () => {
    const run = await running({}, { loadBalancers: [OWN, moved] });
    run.cluster.simulator.faults([{ action: 'DeleteLoadBalancer', effect: 'reject', code: 'InternalError', count: 5 }]);
    const { metadata, ...service } = aService({ type: 'ClusterIP', labels: { [ID_LABEL]: 'lb-b' } });
    run.cluster.kubernetes.put(SERVICES, { ...service, metadata: { ...metadata, finalizers: [FINALIZER] } });
    await run.cluster.quiet(10 * 60_000);
    const left = loadBalancers(run).map((each) => [each.id, each.listeners]);
    assert.deepEqual([left, finalizersOf(run)], [[['lb-b', []]], []]);
    await run.process.stop();
  });
});
