import assert from 'node:assert/strict';
import {
  onClassicLoadBalancer,
  onEndpointSlice,
  onNode,
  onOwnerChange,
  onPod,
  onService,
} from '../../../../src/controller/service/event-handlers.ts';
import { NO_RECORD, type BindingRecord } from '../../../../src/controller/service/state/binding-record.ts';
import type { BindingReader } from '../../../../src/controller/service/state/binding-store.ts';
import { REUSE_INDEX } from '../../../../src/inventory/reuse.ts';
import type { Node, Pod, Service } from '../../../../src/base/objects.ts';
import { aSlice } from '../../../support/cluster.ts';
import { aClb } from '../../../support/inventory.ts';
import { aNode } from '../../../support/node.ts';
import { annotation } from '../../../support/running.ts';
import { aService } from '../../../support/service.ts';
import { watchedDouble } from '../../../support/watched.ts';

const FINALIZER = 'service.k8s.alibaba/resources';
const meta = (service: Service, change: object): Service => ({
  ...service,
  metadata: { ...service.metadata, ...change },
});
const spec = (service: Service, change: object): Service => ({ ...service, spec: { ...service.spec, ...change } });
const plain = aService();
const MANY_LABELS = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`label-${at}`, 'a']));
const clusterIp = aService({ type: 'ClusterIP' });
const ID = 'service.k8s.alibaba/loadbalancer-id';
const held = meta(plain, { finalizers: [FINALIZER], labels: { [ID]: 'lb-1' } });
const said = (service: Service, ip: string): Service => ({
  ...service,
  status: { loadBalancer: { ingress: [{ ip }] } },
});

describe('a change of a Service', () => {
  const cases: Record<
    string,
    [before: Service | undefined, after: Service | undefined, needsReconcile: boolean, reason?: string]
  > = {
    'that is new and wants a load balancer is worth a turn': [undefined, plain, true],
    'that is new and wants none is not': [undefined, clusterIp, false],
    'that wants none any more but is held by us is worth a turn': [
      undefined,
      meta(clusterIp, { finalizers: [FINALIZER] }),
      true,
    ],
    'between types that do not concern us is not': [clusterIp, aService({ type: 'NodePort' }), false],
    'that begins to want one is worth a turn': [clusterIp, plain, true, 'TypeChanged'],
    'that ceases to want one is worth a turn': [plain, clusterIp, true, 'TypeChanged'],
    'of an annotation is worth a turn': [plain, meta(plain, { annotations: { a: 'b' } }), true, 'AnnotationChanged'],
    'of its spec is worth a turn': [plain, spec(plain, { externalTrafficPolicy: 'Local' }), true, 'ServiceSpecChanged'],
    'that is being deleted is worth a turn': [
      held,
      meta(held, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      true,
      'DeleteTimestampChanged',
    ],
    'of a label of people’s is not': [plain, meta(plain, { labels: { a: 'b' } }), false],
    'to more labels than are kept is worth a turn': [plain, meta(plain, { labels: MANY_LABELS }), true],
    'from more labels than are kept is worth a turn': [meta(plain, { labels: MANY_LABELS }), plain, true],
    'of nothing but its version is not': [held, meta(held, { resourceVersion: '2' }), false],
    'that takes our finalizer off is worth a turn': [held, meta(held, { finalizers: [] }), true],
    'that puts our finalizer back on one that is to have no load balancer is worth a turn': [
      clusterIp,
      meta(clusterIp, { finalizers: [FINALIZER] }),
      true,
    ],
    'that puts our finalizer on is not': [meta(held, { finalizers: [] }), held, false],
    'that takes our label off is not': [held, meta(held, { labels: {} }), false],
    'that forges our label is worth a turn': [held, meta(held, { labels: { [ID]: 'lb-2' } }), true],
    'of labels of builds before the first release is not': [
      held,
      meta(held, { labels: { [ID]: 'lb-1', 'portcullis.io/dirty': 'leaving' } }),
      false,
    ],
    'that overwrites the address is worth a turn': [said(held, '47.0.0.1'), said(held, '10.0.0.1'), true],
    'that fills in what the API server adds to the address is not': [
      said(held, '47.0.0.1'),
      { ...held, status: { loadBalancer: { ingress: [{ ip: '47.0.0.1', ipMode: 'VIP' }] } } },
      false,
    ],
    'for another of the same name is worth a turn': [plain, meta(plain, { uid: 'other' }), true],
    'that is gone is worth a turn, to forget it': [plain, undefined, true],
  };
  for (const [sentence, [before, after, needsReconcile, reason]] of Object.entries(cases)) {
    it(sentence, () => {
      const change = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
      assert.deepEqual(onService(change), { needsReconcile, ...(reason === undefined ? {} : { reason }) });
    });
  }
});

describe('a change of something else', () => {
  const reusing = aService({ name: 'reusing', uid: 'r', annotations: { [annotation('id')]: 'lb-1' } });
  const services = watchedDouble<Service>(
    [plain, reusing, aService({ name: 'inner', uid: 'i', type: 'ClusterIP' })],
    REUSE_INDEX,
  );
  const both = ['shop/web', 'shop/reusing'];

  it('of endpoints concerns their Service', () => {
    const before = aSlice(plain, ['n1']);
    assert.deepEqual(onEndpointSlice({ before, after: aSlice(plain, ['n2']) }, { services }), ['shop/web']);
    assert.deepEqual(onEndpointSlice({ before }, { services }), ['shop/web']);
    assert.deepEqual(
      onEndpointSlice(
        { before, after: { ...before, metadata: { ...before.metadata, resourceVersion: '9' } } },
        { services },
      ),
      [],
    );
  });

  it('of endpoints of a Service without load balancer concerns nobody', () => {
    const inner = aService({ name: 'inner', type: 'ClusterIP' });
    assert.deepEqual(onEndpointSlice({ after: aSlice(inner, ['n1']) }, { services }), []);
  });

  const nodes: Record<string, [before: Node | undefined, after: Node | undefined, keys: string[]]> = {
    'of a new Node concerns all': [undefined, aNode('a'), both],
    'of a Node that goes concerns all': [aNode('a'), undefined, both],
    'of a Node’s readiness concerns all': [aNode('a'), aNode('a', { ready: 'Unknown' }), both],
    'of a Node’s labels concerns all': [aNode('a'), aNode('a', { labels: { pool: 'x' } }), both],
    'of a Node’s provider ID concerns all': [aNode('a', { spec: { providerID: '' } }), aNode('a'), both],
    'of a Node that only says it is alive concerns nobody': [aNode('a'), aNode('a'), []],
  };
  for (const [sentence, [before, after, keys]] of Object.entries(nodes)) {
    it(sentence, () => {
      const change = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
      assert.deepEqual(onNode(change, { services }, { backendType: 'ecs' }), keys);
    });
  }

  it('of a load balancer concerns the Services that name it', () => {
    assert.deepEqual(onClassicLoadBalancer({ after: aClb('lb-1') }, { services }), ['shop/reusing']);
    assert.deepEqual(onClassicLoadBalancer({ after: aClb('lb-2') }, { services }), []);
    assert.deepEqual(onClassicLoadBalancer({ before: aClb('lb-1'), after: aClb('lb-1') }, { services }), []);
  });
});

describe('a load balancer that is gone, or has another owner', () => {
  const recorded = (name: string, id: string, change: object = {}) =>
    meta(aService({ name, annotations: name === 'naming' ? { [annotation('id')]: id } : {} }), {
      labels: { [ID]: id },
      ...change,
    });
  /** A Service whose binding names another load balancer than its label. */
  const RECORDS: Readonly<Record<string, BindingRecord>> = {
    forged: { loadBalancer: { id: 'lb-4', use: 'owned' } },
  };
  const bindings: BindingReader = { recordOf: ({ metadata }) => RECORDS[metadata.name] ?? NO_RECORD };
  const services = watchedDouble(
    [
      recorded('naming', 'lb-1'),
      recorded('owner', 'lb-2'),
      recorded('elsewhere', 'lb-9'),
      recorded('going', 'lb-3', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      recorded('forged', 'lb-5'),
    ],
    REUSE_INDEX,
  );
  const madeFor = (id: string, service: string) => {
    const mirror = aClb(id);
    return { ...mirror, ...(mirror.status === undefined ? {} : { status: { ...mirror.status, service } }) };
  };
  const lost = (id: string, service: string) => onOwnerChange({ before: madeFor(id, service) }, { services }, bindings);

  it('concerns the Services that were served by it', () => {
    assert.deepEqual(lost('lb-1', ''), ['shop/naming']);
    assert.deepEqual(lost('lb-2', 'shop/owner'), ['shop/owner']);
  });

  it('concerns those whose binding names it, whatever their label says', () => {
    assert.deepEqual(lost('lb-4', 'shop/forged'), ['shop/forged']);
    assert.deepEqual(lost('lb-5', 'shop/forged'), []);
  });

  it('concerns none that has another, or goes', () => {
    assert.deepEqual(lost('lb-2', 'shop/elsewhere'), []);
    assert.deepEqual(lost('lb-3', 'shop/going'), []);
  });

  it('concerns none while its owner is the same, and none before', () => {
    const [before, named] = [madeFor('lb-2', 'shop/owner'), aClb('lb-1')];
    const after = aClb('lb-1', { listeners: [{ port: 80, protocol: 'tcp' }] });
    assert.deepEqual(onOwnerChange({ before: named, after }, { services }, bindings), []);
    assert.deepEqual(onOwnerChange({ after: before }, { services }, bindings), []);
    assert.deepEqual(
      onOwnerChange({ before: { metadata: before.metadata }, after: before }, { services }, bindings),
      [],
    );
  });

  it('concerns the Service that is bound to it when the tag is gone, and when it is back', () => {
    const [tagged, untagged] = [madeFor('lb-2', 'shop/owner'), madeFor('lb-2', '')];
    assert.deepEqual(onOwnerChange({ before: tagged, after: untagged }, { services }, bindings), ['shop/owner']);
    assert.deepEqual(onOwnerChange({ before: untagged, after: tagged }, { services }, bindings), ['shop/owner']);
  });

  it('concerns the Services that name it when it has another owner', () => {
    const [before, named] = [madeFor('lb-1', ''), aClb('lb-1', { owner: 'other-cluster' })];
    assert.deepEqual(onOwnerChange({ before, after: named }, { services }, bindings), ['shop/naming']);
  });
});

describe('a Node that comes', () => {
  const ENI = 'service.beta.kubernetes.io/backend-type';
  const named = (name: string, annotations: Record<string, string>) => aService({ name, annotations });
  const services = watchedDouble([named('pods', { [ENI]: 'eni' }), named('nodes', { [ENI]: 'ecs' }), named('any', {})]);
  const woken = (backendType: 'ecs' | 'eni') => onNode({ after: aNode('n') }, { services }, { backendType });

  it('wakes no Service whose backends are pods', () => {
    assert.deepEqual(woken('ecs'), ['shop/nodes', 'shop/any']);
    assert.deepEqual(woken('eni'), ['shop/nodes']);
  });
});

describe('a change of a pod', () => {
  const GATE = 'service.readiness.alibabacloud.com/web';
  const aPod = (containersReady: string, gate = GATE, said?: string): Pod => ({
    metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: containersReady + (said ?? '') },
    spec: { containers: [], readinessGates: [{ conditionType: gate }] },
    status: {
      conditions: [
        { type: 'ContainersReady', status: containersReady },
        ...(said === undefined ? [] : [{ type: gate, status: said }]),
      ],
    },
  });
  const services = watchedDouble([plain, aService({ name: 'inner', type: 'ClusterIP' })], REUSE_INDEX);
  const woken: Record<string, [before: Pod | undefined, after: Pod | undefined, keys: readonly string[]]> = {
    'that waits for a Service wakes it': [undefined, aPod('False'), ['shop/web']],
    'whose containers are ready now wakes its Service': [aPod('False'), aPod('True'), ['shop/web']],
    'in nothing that matters wakes nobody': [aPod('True'), { ...aPod('True') }, []],
    'that goes wakes nobody': [aPod('True'), undefined, []],
    'that waits for a Service without a load balancer wakes nobody': [
      undefined,
      aPod('True', 'service.readiness.alibabacloud.com/inner'),
      [],
    ],
    'that waits for a Service that is not there wakes nobody': [
      undefined,
      aPod('True', 'service.readiness.alibabacloud.com/none'),
      [],
    ],
    'from which our word has been taken wakes its Service': [aPod('True', GATE, 'True'), aPod('True'), ['shop/web']],
  };
  for (const [sentence, [before, after, keys]] of Object.entries(woken)) {
    it(sentence, () => {
      const change = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
      assert.deepEqual(onPod(change, { services }), keys);
    });
  }
});
