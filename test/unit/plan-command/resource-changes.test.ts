import assert from 'node:assert/strict';
import type { Action } from '../../../src/clb/model/action.ts';
import type { DomainExtensionId, LoadBalancerId, ServerId, VServerGroupId } from '../../../src/clb/model/ids.ts';
import type { ObservedListener } from '../../../src/clb/model/listener.ts';
import { NOTHING_THERE, type Observed } from '../../../src/clb/model/desired-and-observed-state.ts';
import { changesOf, type FieldChange, type ResourceChange } from '../../../src/plan-command/resource-changes.ts';
import {
  aBackend,
  aListener,
  aLoadBalancer,
  anObserved,
  anObservedListener,
  aPresent,
  groupName,
} from '../../support/clb-objects.ts';

const GROUP = groupName(30_080);
const HTTPS = { port: 443, protocol: 'https' } as const;
const HTTPS_LISTENER = {
  ...HTTPS,
  description: 'k8s/443/web/shop/c1',
  status: 'running',
  domainExtensions: [{ id: 'de-1' as DomainExtensionId, domain: 'a.com', certificateId: 'old' }],
} satisfies ObservedListener;
const OBSERVED = anObserved({
  loadBalancer: aLoadBalancer({
    instanceChargeType: 'PayBySpec',
    spec: 'slb.s1.small',
    bandwidth: 10,
    tags: { team: 'web' },
  }),
  listeners: [anObservedListener(80, { status: 'stopped' }), HTTPS_LISTENER],
});

const changes = (actions: readonly Action[], observed: Observed = OBSERVED): readonly ResourceChange[] =>
  changesOf({ desired: aPresent(), observed, plan: { actions, blocked: [] } });

/** Returns `operation resource name`. */
const titles = (actions: readonly Action[], observed?: Observed): readonly string[] =>
  changes(actions, observed).map(({ operation, resource, name }) => `${operation} ${resource} ${name}`);

const tcp = { port: 80, protocol: 'tcp' } as const;

/** A row: the action, its resource, and the fields of the change. */
const ROWS: Readonly<Record<string, readonly [action: Action, title: string, fields: readonly FieldChange[]]>> = {
  'a new name': [
    { kind: 'rename', name: 'shop' },
    'change load-balancer lb-own',
    [{ field: 'name', old: aLoadBalancer().name, new: 'shop' }],
  ],
  'the protection from deletion': [
    { kind: 'set-delete-protection', state: 'off' },
    'change load-balancer lb-own',
    [{ field: 'deleteProtection', old: 'on', new: 'off' }],
  ],
  'the protection from modification, with its reason': [
    { kind: 'set-modification-protection', state: 'NonProtection', reason: 'x' },
    'change load-balancer lb-own',
    [
      { field: 'modificationProtection', old: 'ConsoleProtection', new: 'NonProtection' },
      { field: 'modificationProtectionReason', new: 'x' },
    ],
  ],
  'a specification': [
    { kind: 'set-spec', spec: 'slb.s2.small' },
    'change load-balancer lb-own',
    [{ field: 'spec', old: 'slb.s1.small', new: 'slb.s2.small' }],
  ],
  'the charge type of the instance': [
    { kind: 'set-instance-charge-type', type: 'PayByCLCU' },
    'change load-balancer lb-own',
    [{ field: 'instanceChargeType', old: 'PayBySpec', new: 'PayByCLCU' }],
  ],
  'the bandwidth alone': [
    { kind: 'set-internet-spec', change: { bandwidth: 20 } },
    'change load-balancer lb-own',
    [{ field: 'bandwidth', old: 10, new: 20 }],
  ],
  'tags, with their old values': [
    { kind: 'tag', tags: { team: 'shop', cost: '1' } },
    'change load-balancer lb-own',
    [
      { field: 'tags[cost]', new: '1' },
      { field: 'tags[team]', old: 'web', new: 'shop' },
    ],
  ],
  'the removal of a tag': [
    { kind: 'untag', keys: ['team'] },
    'change load-balancer lb-own',
    [{ field: 'tags[team]', old: 'web' }],
  ],
  'a server group with its backends': [
    { kind: 'create-server-group', group: 'g', backends: [aBackend('i-1', 30_080)] },
    'create server-group g',
    [{ field: 'backends[i-1:30080].weight', new: 100 }],
  ],
  'the network interface and the address of a backend pod': [
    {
      kind: 'add-backends',
      group: GROUP,
      backends: [
        { type: 'eni', serverId: 'eni-1' as ServerId, serverIp: '10.0.0.1', port: 8080, weight: 1, description: '' },
      ],
    },
    `change server-group ${GROUP}`,
    [{ field: 'backends[eni-1(10.0.0.1):8080].weight', new: 1 }],
  ],
  'removed backends': [
    { kind: 'remove-backends', group: GROUP, backends: [aBackend('i-1', 30_080)] },
    `change server-group ${GROUP}`,
    [{ field: 'backends[i-1:30080].weight', old: 100 }],
  ],
  'only the fields of a backend that differ': [
    { kind: 'update-backends', group: GROUP, backends: [aBackend('i-1', 30_080, { weight: 50 })] },
    `change server-group ${GROUP}`,
    [{ field: 'backends[i-1:30080].weight', old: 100, new: 50 }],
  ],
  'the description of a backend': [
    { kind: 'update-backends', group: GROUP, backends: [aBackend('i-1', 30_080, { description: 'new' })] },
    `change server-group ${GROUP}`,
    [{ field: 'backends[i-1:30080].description', old: GROUP, new: 'new' }],
  ],
  'the deletion of a server group': [{ kind: 'delete-server-group', group: GROUP }, `delete server-group ${GROUP}`, []],
  'a listener with its group and the certificates of domains': [
    {
      kind: 'create-listener',
      listener: {
        ...HTTPS,
        description: 'd',
        group: 'g',
        scheduler: 'rr',
        domainExtensions: [{ domain: 'a.com', certificateId: 'c-1' }],
      },
    },
    'create listener 443/https',
    [
      { field: 'description', new: 'd' },
      { field: 'domainExtensions[a.com].certificateId', new: 'c-1' },
      { field: 'group', new: 'g' },
      { field: 'scheduler', new: 'rr' },
    ],
  ],
  'a listener without a group': [
    { kind: 'create-listener', listener: { ...tcp, description: 'd', group: '' } },
    'create listener 80/tcp',
    [{ field: 'description', new: 'd' }],
  ],
  'the start of a listener': [
    { kind: 'start-listener', listener: tcp },
    'change listener 80/tcp',
    [{ field: 'status', old: 'stopped', new: 'running' }],
  ],
  'the attributes and the group of a listener': [
    { kind: 'update-listener', listener: tcp, set: { scheduler: 'wrr', aclId: 'acl-1' }, group: 'g' },
    'change listener 80/tcp',
    [
      { field: 'aclId', new: 'acl-1' },
      { field: 'group', old: GROUP, new: 'g' },
      { field: 'scheduler', old: 'rr', new: 'wrr' },
    ],
  ],
  'the deletion of a listener': [{ kind: 'delete-listener', listener: tcp }, 'delete listener 80/tcp', []],
  'a new domain': [
    { kind: 'create-domain-extension', listener: HTTPS, domain: 'b.com', certificateId: 'c' },
    'change listener 443/https',
    [{ field: 'domainExtensions[b.com].certificateId', new: 'c' }],
  ],
  'another certificate of a domain': [
    {
      kind: 'set-domain-extension',
      listener: HTTPS,
      id: 'de-1' as DomainExtensionId,
      domain: 'a.com',
      certificateId: 'c',
    },
    'change listener 443/https',
    [{ field: 'domainExtensions[a.com].certificateId', old: 'old', new: 'c' }],
  ],
  'a removed domain': [
    { kind: 'delete-domain-extension', listener: HTTPS, id: 'de-1' as DomainExtensionId, domain: 'a.com' },
    'change listener 443/https',
    [{ field: 'domainExtensions[a.com].certificateId', old: 'old' }],
  ],
  'the deletion of a load balancer': [
    { kind: 'delete-load-balancer', id: 'lb-own' as LoadBalancerId },
    'delete load-balancer lb-own',
    [],
  ],
};

/** Users approve a plan by its text, so each change must be named in their words. */
describe('the change of a resource', () => {
  for (const [what, [action, title, fields]] of Object.entries(ROWS))
    it(`shows ${what}`, () => {
      assert.deepEqual(titles([action]), [title]);
      assert.deepEqual(changes([action])[0]?.fields, fields);
    });

  it('names a new load balancer by its name, without an id', () => {
    const action: Action = { kind: 'create-load-balancer', attributes: { name: 'a1', bandwidth: 5 }, tags: { t: 'v' } };
    assert.deepEqual(changes([action], NOTHING_THERE), [
      {
        operation: 'create',
        resource: 'load-balancer',
        name: 'a1',
        fields: [
          { field: 'bandwidth', new: 5 },
          { field: 'name', new: 'a1' },
          { field: 'tags[t]', new: 'v' },
        ],
      },
    ]);
  });

  it('names the load balancer of a listener', () => {
    assert.equal(changes([{ kind: 'delete-listener', listener: tcp }])[0]?.loadBalancer, 'lb-own');
  });

  it('names the id of a group that the Service does not own', () => {
    const group = { id: 'rsp-user' as VServerGroupId, name: 'mine', backends: [] };
    const observed = { ...OBSERVED, groups: [group], listeners: [anObservedListener(80, { groupId: group.id })] };
    const action: Action = { kind: 'update-listener', listener: tcp, set: {}, group: 'g' };
    assert.deepEqual(changes([action], observed)[0]?.fields, [{ field: 'group', old: 'rsp-user', new: 'g' }]);
  });
});

describe('the changes of a plan', () => {
  const backends = [aBackend('i-2', 30_080)];
  const rows: Readonly<Record<string, readonly [actions: readonly Action[], titles: readonly string[]]>> = {
    'are none without actions': [[], []],
    'count the start of a new listener as its creation': [
      [
        { kind: 'create-listener', listener: aListener(81) },
        { kind: 'start-listener', listener: { port: 81, protocol: 'tcp' } },
      ],
      ['create listener 81/tcp'],
    ],
    'count further backends of a new group as its creation': [
      [
        { kind: 'create-server-group', group: 'g', backends },
        { kind: 'add-backends', group: 'g', backends },
      ],
      ['create server-group g'],
    ],
    'count additions and removals of backends as one change of their group': [
      [
        { kind: 'add-backends', group: GROUP, backends },
        { kind: 'rename', name: 'x' },
        { kind: 'remove-backends', group: GROUP, backends },
      ],
      [`change server-group ${GROUP}`, 'change load-balancer lb-own'],
    ],
    'count the end of the protection as part of the deletion': [
      [
        { kind: 'set-delete-protection', state: 'off' },
        { kind: 'delete-load-balancer', id: 'lb-own' as LoadBalancerId },
      ],
      ['delete load-balancer lb-own'],
    ],
    'keep a deletion and a creation of the same listener apart': [
      [
        { kind: 'delete-listener', listener: tcp },
        { kind: 'create-listener', listener: aListener(80) },
        { kind: 'start-listener', listener: tcp },
      ],
      ['delete listener 80/tcp', 'create listener 80/tcp'],
    ],
  };
  for (const [title, [actions, expected]] of Object.entries(rows))
    it(title, () => assert.deepEqual(titles(actions), expected));
});
