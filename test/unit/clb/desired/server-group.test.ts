import assert from 'node:assert/strict';
import { desiredBackends, mergeGroups, type Traffic } from '../../../../src/clb/desired/server-group.ts';
import type { ServerId, VServerGroupId } from '../../../../src/clb/model/ids.ts';
import type { Weighting } from '../../../../src/clb/desired/weights.ts';
import type { EndpointSlice, ServicePort } from '../../../../src/base/kubernetes-objects.ts';
import type { SkippedBackends } from '../../../../src/clb/model/desired-and-observed-state.ts';
import { groupName } from '../../../support/clb-objects.ts';

const PORT: ServicePort = { name: 'web', port: 80, targetPort: 8080, nodePort: 30_080 };
const NAME = groupName(30_080);
const node = (name: string) => ({ name, serverId: `i-${name}` as ServerId });

/** The Node of each pod. `vk` is a virtual Node, and `elsewhere` is unknown. */
const NODE_NAMES = ['n1', 'n1', 'n1', 'n2', 'vk', 'vk', 'elsewhere', undefined];
const SLICE = {
  metadata: { name: 's', namespace: 'shop', uid: '', resourceVersion: '' },
  addressType: 'IPv4',
  ports: [{ name: 'web', port: 8080 }],
  endpoints: NODE_NAMES.map((nodeName, index) => ({ addresses: [`10.0.0.${index}`], nodeName })),
} as unknown as EndpointSlice;

const traffic = (through: Traffic['through'], weighting: Weighting, nodes = ['n1', 'n2', 'n3']): Traffic => ({
  through,
  weighting,
  nodes: nodes.map(node),
  unresolved: [],
  virtualNodes: new Set(['vk']),
  pods: { slices: [SLICE], family: 'IPv4', hasSelector: true, awaiting: new Set() },
});
const count = (weight = 100): Weighting => ({ kind: 'count', weight });
const share = (total: number): Weighting => ({ kind: 'share', total });

const text = (subject: Traffic): string =>
  desiredBackends(NAME, PORT, subject)
    .backends.map(
      (backend) => `${backend.type === 'eni' ? backend.serverIp : backend.serverId}=${String(backend.weight)}`,
    )
    .join(' ');

/** Several ports can share a server group, in which a missing or doubled backend would shift the traffic. */
describe('the backends of a port', () => {
  const cases: Record<string, [traffic: Traffic, expected: string]> = {
    'through Nodes have the default weight each': [
      traffic('nodes', count(50)),
      '10.0.0.4=50 10.0.0.5=50 i-n1=50 i-n2=50 i-n3=50',
    ],
    'through Nodes have equal shares': [traffic('nodes', share(60)), '10.0.0.4=12 10.0.0.5=12 i-n1=12 i-n2=12 i-n3=12'],
    'through Nodes have at least 1 of a share': [
      traffic('nodes', share(3)),
      '10.0.0.4=1 10.0.0.5=1 i-n1=1 i-n2=1 i-n3=1',
    ],
    'through Nodes have 0 of a share of 0': [traffic('nodes', share(0)), '10.0.0.4=0 10.0.0.5=0 i-n1=0 i-n2=0 i-n3=0'],
    'through Nodes with pods have the number of their pods': [
      traffic('nodes-with-pods', count()),
      '10.0.0.4=1 10.0.0.5=1 i-n1=3 i-n2=1',
    ],
    'through Nodes with pods have shares by pods': [
      traffic('nodes-with-pods', share(60)),
      '10.0.0.4=10 10.0.0.5=10 i-n1=30 i-n2=10',
    ],
    'through Nodes with pods have at least 1 of a share, on virtual Nodes too': [
      traffic('nodes-with-pods', share(4)),
      '10.0.0.4=1 10.0.0.5=1 i-n1=2 i-n2=1',
    ],
    'through Nodes with pods have shares without unreachable pods': [
      traffic('nodes-with-pods', share(30), ['n1']),
      '10.0.0.4=6 10.0.0.5=6 i-n1=18',
    ],
    'as pods have the default weight each': [
      traffic('pods', count(7)),
      NODE_NAMES.map((_, index) => `10.0.0.${index}=7`).join(' '),
    ],
    'as pods have equal shares': [
      traffic('pods', share(100)),
      NODE_NAMES.map((_, index) => `10.0.0.${index}=12`).join(' '),
    ],
  };
  for (const [title, [subject, expected]] of Object.entries(cases)) {
    it(title, () => assert.equal(text(subject), expected));
  }

  it('are Nodes with their node port, and pods with their own port', () => {
    const ports = desiredBackends(NAME, PORT, traffic('nodes', count())).backends.map(({ type, port }) => [type, port]);
    assert.deepEqual(new Set(ports.map(String)), new Set(['eni,8080', 'ecs,30080']));
  });

  it('have at most the weight 100 per Node, the maximum of the cloud', () => {
    const endpoints = Array.from({ length: 120 }, (_, index) => ({ addresses: [`10.1.0.${index}`], nodeName: 'n1' }));
    const subject = traffic('nodes-with-pods', count(), ['n1']);
    const crowded = { ...subject, pods: { ...subject.pods, slices: [{ ...SLICE, endpoints }] } };
    assert.equal(text(crowded), 'i-n1=100');
  });

  it('do not depend on the order of the endpoints, so that they can be cached', () => {
    const subject = traffic('pods', count());
    const [first = SLICE] = subject.pods.slices;
    const turned = { ...first, endpoints: first.endpoints?.toReversed() ?? [] };
    assert.equal(text({ ...subject, pods: { ...subject.pods, slices: [turned] } }), text(subject));
  });
});

describe('an unknown backend of a port', () => {
  const named = (name: string) => ({ name, providerId: `k3s://${name}` });
  const unresolved = [named('elsewhere'), named('idle')];
  const cases: Record<string, [through: Traffic['through'], expected: SkippedBackends | undefined]> = {
    'through Nodes is every Node without an instance': ['nodes', { nodes: unresolved, addresses: [] }],
    "through Nodes with pods is a pod's Node without an instance, or a pod without a Node": [
      'nodes-with-pods',
      { nodes: [named('elsewhere')], addresses: ['10.0.0.7'] },
    ],
    'does not exist with pods as backends': ['pods', undefined],
  };
  for (const [title, [through, expected]] of Object.entries(cases)) {
    it(title, () => {
      const { unplaced } = desiredBackends(NAME, PORT, { ...traffic(through, count()), unresolved });
      assert.deepEqual(unplaced, expected);
    });
  }

  it('is reported once for all ports of a group', () => {
    const unplaced = { nodes: [named('idle')], addresses: ['10.0.0.7'] };
    const group = { name: NAME, backends: [], unplaced };
    assert.deepEqual(mergeGroups([group, { ...group, backends: [] }]), [group]);
  });
});

describe('server groups of several ports', () => {
  const { backends: pods } = desiredBackends(NAME, PORT, traffic('pods', count()));

  it('with the same name are one group, with each backend once', () => {
    const merged = mergeGroups([
      { name: NAME, backends: pods },
      { name: NAME, backends: pods.slice(0, 2) },
    ]);
    assert.deepEqual(merged, [{ name: NAME, backends: pods }]);
  });

  it('with the same user-managed group are one group, with all backends', () => {
    const id = 'rsp-1' as VServerGroupId;
    const other = pods.map((backend) => ({ ...backend, port: 8443 }));
    const merged = mergeGroups([
      { name: NAME, id, backends: pods },
      { name: groupName(30_443), id, backends: other },
    ]);
    assert.deepEqual(
      merged.map(({ backends }) => backends.length),
      [2 * pods.length],
    );
  });
});
