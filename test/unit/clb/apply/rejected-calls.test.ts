import assert from 'node:assert/strict';
import type { Action } from '../../../../src/clb/model/action.ts';
import type { Observed } from '../../../../src/clb/model/desired-and-observed-state.ts';
import type { Reason } from '../../../../src/base/errors.ts';
import { ACTIONS, applyActions, GROUP } from '../../../support/recorded-clb-calls.ts';
import {
  aBackend,
  aListener,
  anObserved,
  anObservedGroup,
  anObservedListener,
  groupName,
  LB_ID,
} from '../../../support/clb-objects.ts';

/** A rejected call must stop only the actions that depend on it, so that dead backends are removed nevertheless. */
describe('the execution of a plan with rejected calls', () => {
  const TWO_PORTS = anObserved({
    groups: [anObservedGroup(30_080, ['i-1', 'i-2']), anObservedGroup(30_443, ['i-1', 'i-2'])],
    listeners: [anObservedListener(80), anObservedListener(443)],
  });
  const key = (port: number, protocol: 'tcp' | 'http' | 'https' | 'udp' = 'tcp') => ({ port, protocol });
  const removing = (nodePort: number, ...servers: readonly string[]): Action => ({
    kind: 'remove-backends',
    group: groupName(nodePort),
    backends: servers.map((server) => aBackend(server, nodePort)),
  });
  const drop = (listener: ReturnType<typeof key>): Action => ({ kind: 'delete-listener', listener });
  const dropGroup = (nodePort: number): Action => ({ kind: 'delete-server-group', group: groupName(nodePort) });
  const move: Action = { kind: 'update-listener', listener: key(80), set: {}, group: groupName(30_443) };
  const addElsewhere: Action = {
    kind: 'add-backends',
    group: groupName(30_443),
    backends: [aBackend('i-9', 30_443)],
  };
  const FORWARDED = anObserved({
    groups: TWO_PORTS.groups,
    listeners: [
      anObservedListener(80, { protocol: 'http', listenerForward: 'on', forwardPort: 443, groupId: undefined }),
      anObservedListener(443, { protocol: 'https' }),
    ],
  });
  const DOMAINS = [
    { kind: 'create-domain-extension', listener: key(443, 'https'), domain: 'a', certificateId: 'c' },
  ] as const;
  const dropDomain = (id: string, port = 443): Action =>
    ({ kind: 'delete-domain-extension', listener: key(port, 'https'), id, domain: id }) as Action;
  const AFTER_REJECTION: Readonly<
    Record<
      string,
      { plan: readonly Action[]; rejected: Readonly<Record<string, Reason>>; done: readonly string[]; has?: Observed }
    >
  > = {
    'removes other ports and dead backends although a listener could not be changed': {
      plan: [ACTIONS.update, removing(30_080, 'i-2'), drop(key(443)), dropGroup(30_443)],
      rejected: { updateListener: 'Rejected' },
      done: ['remove-backends', 'delete-listener', 'delete-server-group'],
    },
    'removes dead backends although weights could not be changed': {
      plan: [{ kind: 'update-backends', group: GROUP, backends: [aBackend('i-1', 30_080)] }, removing(30_080, 'i-2')],
      rejected: { updateBackends: 'Rejected' },
      done: ['remove-backends'],
    },
    'keeps the group of a listener that could not be moved': {
      plan: [move, removing(30_080, 'i-2'), dropGroup(30_080), removing(30_443, 'i-2')],
      rejected: { updateListener: 'Rejected' },
      done: ['remove-backends'],
    },
    'keeps the group of a listener that could not be deleted': {
      plan: [drop(key(80)), dropGroup(30_080), dropGroup(30_443)],
      rejected: { deleteListener: 'Rejected' },
      done: ['delete-server-group'],
      has: { ...TWO_PORTS, listeners: [anObservedListener(80)] },
    },
    'creates no listener on the port of a listener that could not be deleted': {
      plan: [drop(key(80)), { kind: 'create-listener', listener: aListener(80, { protocol: 'http' }) }],
      rejected: { deleteListener: 'Rejected' },
      done: [],
    },
    'keeps a listener if its successor has no backends': {
      plan: [
        { ...ACTIONS.createGroup, group: groupName(31_000) },
        drop(key(80)),
        { kind: 'create-listener', listener: aListener(80, { protocol: 'http', group: groupName(31_000) }) },
        dropGroup(30_080),
      ],
      rejected: { createServerGroup: 'Rejected' },
      done: [],
    },
    'keeps a listener if its successor redirects to a listener that cannot be created': {
      plan: [
        { ...ACTIONS.createGroup, group: groupName(31_000) },
        drop(key(80)),
        { kind: 'create-listener', listener: aListener(8443, { protocol: 'https', group: groupName(31_000) }) },
        {
          kind: 'create-listener',
          listener: aListener(80, { protocol: 'http', listenerForward: 'on', forwardPort: 8443, group: '' }),
        },
      ],
      rejected: { createServerGroup: 'Rejected' },
      done: [],
    },
    'keeps a listener that is still the target of a redirect': {
      plan: [
        drop(key(80, 'http')),
        drop(key(443, 'https')),
        { kind: 'create-listener', listener: aListener(443, { group: groupName(30_443) }) },
      ],
      rejected: { deleteListener: 'Rejected' },
      done: [],
      has: FORWARDED,
    },
    'removes no backends from a group whose new backends could not be added': {
      plan: [ACTIONS.add, removing(30_080, 'i-2'), removing(30_443, 'i-2')],
      rejected: { addBackends: 'Rejected' },
      done: ['remove-backends'],
    },
    'empties no group while another group lacks all its backends': {
      plan: [addElsewhere, removing(30_080, 'i-1')],
      rejected: { addBackends: 'Rejected' },
      done: [],
      has: anObserved({ groups: [anObservedGroup(30_080, ['i-1']), anObservedGroup(30_443, [])] }),
    },
    'keeps the domains of a listener if an additional domain is rejected': {
      plan: [...DOMAINS, dropDomain('de-1')],
      rejected: { createDomainExtension: 'Rejected' },
      done: [],
    },
    'removes only one domain of a listener if the quota rejects a new domain of the listener': {
      plan: [...DOMAINS, dropDomain('de-1', 444), dropDomain('de-2'), dropDomain('de-3')],
      rejected: { createDomainExtension: 'QuotaExceeded' },
      done: ['delete-domain-extension', 'delete-domain-extension'],
    },
    'removes no domain to make place for a new domain if a change of a domain was rejected': {
      plan: [{ ...DOMAINS[0], kind: 'set-domain-extension', id: 'de-9' } as Action, ...DOMAINS, dropDomain('de-1')],
      rejected: { setDomainExtension: 'Rejected', createDomainExtension: 'QuotaExceeded' },
      done: [],
    },
    'removes obsolete tags if the quota leaves no capacity for new tags': {
      plan: [
        { kind: 'tag', tags: { b: '' } },
        { kind: 'untag', keys: ['a'] },
      ],
      rejected: { tag: 'QuotaExceeded' },
      done: ['untag'],
    },
    'removes nothing if a new listener conflicts with an unknown resource': {
      plan: [ACTIONS.createGroup, ACTIONS.createListener, removing(30_080, 'i-2'), drop(key(80))],
      rejected: { createListener: 'Conflict' },
      done: ['create-server-group'],
    },
    'removes nothing if an expected resource is missing': {
      plan: [ACTIONS.update, removing(30_443, 'i-2'), drop(key(443))],
      rejected: { updateListener: 'NotFound' },
      done: [],
    },
    'removes no tags if the deletion protection could not be disabled': {
      plan: [
        { kind: 'set-delete-protection', state: 'off' },
        { kind: 'untag', keys: ['a'] },
      ],
      rejected: { setDeleteProtection: 'Rejected' },
      done: [],
    },
    'deletes no load balancer if its deletion protection could not be disabled': {
      plan: [
        { kind: 'set-delete-protection', state: 'off' },
        { kind: 'delete-load-balancer', id: LB_ID },
      ],
      rejected: { setDeleteProtection: 'Rejected' },
      done: [],
    },
  };

  for (const [title, { plan, rejected, done, has = TWO_PORTS }] of Object.entries(AFTER_REJECTION)) {
    it(title, async () => {
      const result = await applyActions(plan, rejected, has);
      assert.deepEqual(result.done, done);
      assert.match(result.error?.message ?? '', / failed$/);
    });
  }
});
