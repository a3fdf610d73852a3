import assert from 'node:assert/strict';
import type { LoadBalancerId } from '../../../src/clb/model/ids.ts';
import { NOTHING_THERE, type Absent } from '../../../src/clb/model/desired-and-observed-state.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import {
  aBackend,
  aListener,
  anObserved,
  anObservedGroup,
  anObservedListener,
  aPresent,
  groupName,
  OWNER,
} from '../../support/clb-objects.ts';
import { aService } from '../../support/service.ts';
import { arrows, find, https, nodesOf, pictured } from '../../support/graph-picture.ts';

/** Users look for a missing connection in the picture, so it must show the plan and the cloud. */
describe('the picture of a Service', () => {
  it('leads from the Service to its backends, if nothing changes', () => {
    const picture = pictured({});
    assert.deepEqual(arrows(picture), [
      'Service shop/web → port 80/TCP (p80)',
      'port 80/TCP (p80) → listener 80/tcp',
      'listener 80/tcp → server group',
      'server group → i-1:30080',
    ]);
    assert.deepEqual(
      nodesOf(picture).map(({ state }) => state),
      nodesOf(picture).map(() => 'unchanged'),
    );
    assert.deepEqual(picture.boxes[0]?.lines, ['load balancer', 'lb-own', '47.0.0.1', 'owned']);
    assert.deepEqual(find(picture, 'server group').lines, ['server group', groupName(30_080), 'rsp-30080']);
  });

  it('shows the addresses of the status, or their absence', () => {
    const service: Service = { ...aService(), status: { loadBalancer: { ingress: [{ ip: '47.0.0.1' }] } } };
    assert.deepEqual(find(pictured({ service }), 'Service').lines, ['Service shop/web', '47.0.0.1']);
    assert.deepEqual(find(pictured({}), 'Service').lines, ['Service shop/web', 'no address']);
  });

  it('shows the plan of a new Service as resources to create', () => {
    const backends = [aBackend('i-1', 30_080)];
    const picture = pictured({
      observed: NOTHING_THERE,
      actions: [
        { kind: 'create-load-balancer', attributes: { name: 'a1' }, tags: {} },
        { kind: 'create-server-group', group: groupName(30_080), backends },
        { kind: 'create-listener', listener: aListener(80) },
      ],
    });
    assert.deepEqual(
      picture.boxes.map(({ lines, state }) => [lines, state]),
      [[['load balancer', 'a1', 'owned'], 'create']],
    );
    for (const title of ['listener 80/tcp', 'server group', 'i-1:30080'])
      assert.equal(find(picture, title).state, 'create', title);
  });

  it('shows obsolete listeners, groups and backends as resources to delete', () => {
    const picture = pictured({
      observed: anObserved({
        groups: [anObservedGroup(30_080, ['i-1', 'i-2']), anObservedGroup(30_090)],
        listeners: [anObservedListener(80), anObservedListener(90)],
      }),
      actions: [
        { kind: 'delete-listener', listener: { port: 90, protocol: 'tcp' } },
        { kind: 'delete-server-group', group: groupName(30_090) },
        { kind: 'remove-backends', group: groupName(30_080), backends: [aBackend('i-2', 30_080)] },
      ],
    });
    for (const title of ['listener 90/tcp', `server group ${groupName(30_090)}`, 'i-1:30090', 'i-2:30080'])
      assert.equal(find(picture, title).state, 'delete', title);
    assert.equal(find(picture, 'i-1:30080').state, 'unchanged');
  });

  it('leads from ports to groups if users manage the listeners', () => {
    const use = { kind: 'reused', id: 'lb-own' as LoadBalancerId, overrideListeners: false } as const;
    const picture = pictured({ desired: aPresent({ use }), observed: anObserved({ listeners: [] }) });
    assert.ok(arrows(picture).includes('port 80/TCP (p80) ⇢ server group (user-managed listener)'));
    assert.equal(picture.boxes[0]?.lines.at(-1), 'user-managed');
  });

  it('shows changed backends first, and counts the backends beyond ten', () => {
    const servers = Array.from({ length: 12 }, (_, index) => `i-${index}`);
    const picture = pictured({
      desired: aPresent({ groups: [{ name: groupName(30_080), backends: servers.map((id) => aBackend(id, 30_080)) }] }),
      observed: anObserved({ groups: [anObservedGroup(30_080, servers.slice(0, 11))] }),
      actions: [{ kind: 'add-backends', group: groupName(30_080), backends: [aBackend('i-11', 30_080)] }],
    });
    const backends = nodesOf(picture).filter(({ kind }) => kind === 'backend');
    assert.deepEqual([backends.length, backends.at(-1)?.lines], [11, ['and 2 more']]);
    assert.deepEqual([backends[0]?.lines[0], backends[0]?.state], ['i-11:30080', 'create']);
  });

  it('shows that a group has no backends, and why pods and Nodes are missing', () => {
    const picture = pictured({
      desired: aPresent({
        groups: [
          {
            name: groupName(30_080),
            backends: [],
            missing: ['10.0.0.1'],
            unreachable: ['192.168.0.1'],
            unplaced: { nodes: [{ name: 'n1', providerId: '' }], addresses: ['10.0.0.2'] },
          },
        ],
      }),
      observed: anObserved({ groups: [anObservedGroup(30_080, [])] }),
    });
    assert.equal(find(picture, 'no backends').kind, 'problem');
    assert.deepEqual(find(picture, 'pod 10.0.0.1').lines, [
      'pod 10.0.0.1 has no network interface',
      'pod 192.168.0.1 is outside the VPC',
      'the instance of Node n1 is unknown',
      'the Node of pod 10.0.0.2 is unknown',
    ]);
  });

  it('counts the skipped backends beyond ten', () => {
    const missing = Array.from({ length: 12 }, (_, index) => `10.0.0.${index}`);
    const picture = pictured({
      desired: aPresent({ groups: [{ name: groupName(30_080), backends: [], missing }] }),
      observed: anObserved({ groups: [anObservedGroup(30_080, [])] }),
    });
    const { lines } = find(picture, 'pod 10.0.0.0');
    assert.deepEqual([lines.length, lines.at(-1)], [11, 'and 2 more']);
  });

  it('shows each violation of a denied Service', () => {
    const picture = pictured({ denied: ['scheduler: no', 'bandwidth: no'] });
    assert.deepEqual(
      arrows(picture).filter((arrow) => arrow.includes('denied')),
      ['Service shop/web ⇢ denied', 'Service shop/web ⇢ denied'],
    );
  });

  it('shows a blocked change at its listener or group if the picture has it, else at the Service', () => {
    const reason = 'the port is used by Service team/api, which has had the port for a longer time than this one';
    const picture = pictured({
      observed: anObserved({ listeners: [] }),
      blocked: [
        { action: { kind: 'create-listener', listener: aListener(80) }, rule: 'PortUnavailable', reason },
        { action: { kind: 'delete-server-group', group: groupName(30_080) }, rule: 'NotOwned', reason: 'r' },
        { action: { kind: 'rename', name: 'x' }, rule: 'NotOwned', reason: 's' },
        { action: { kind: 'delete-server-group', group: 'elsewhere' }, rule: 'NotOwned', reason: 't' },
        { rule: 'InvalidPort', reason: 'u' },
      ],
    });
    assert.deepEqual(
      arrows(picture).filter((arrow) => arrow.includes('blocked')),
      [
        'listener 80/tcp ⇢ blocked (PortUnavailable)',
        'server group ⇢ blocked (NotOwned)',
        'Service shop/web ⇢ blocked (NotOwned)',
        'Service shop/web ⇢ blocked (NotOwned)',
        'Service shop/web ⇢ blocked (InvalidPort)',
      ],
    );
    assert.equal(find(picture, 'listener 80/tcp').state, 'blocked');
    assert.ok(find(picture, 'blocked (PortUnavailable)').lines.every(({ length }) => length <= 60));
  });

  it('has a box for each load balancer that a cleanup changes', () => {
    const desired: Absent = { kind: 'absent', owner: OWNER, use: { kind: 'owned' }, preserve: false };
    const picture = pictured({
      desired,
      observed: { ...NOTHING_THERE, ...{ loadBalancer: anObserved().loadBalancer! } },
      actions: [{ kind: 'delete-load-balancer', id: 'lb-own' as LoadBalancerId }],
    });
    assert.deepEqual(
      picture.boxes.map(({ state, nodes }) => [state, nodes]),
      [['delete', []]],
    );
  });

  it('has unique keys, and edges between known nodes only', () => {
    const picture = pictured({ observed: anObserved({ listeners: [https(), anObservedListener(80)] }) });
    const keys = nodesOf(picture).map(({ key }) => key);
    assert.deepEqual(keys, [...new Set(keys)]);
    for (const { from, to } of picture.edges) assert.ok(keys.includes(from) && keys.includes(to), `${from} ${to}`);
  });
});
