import assert from 'node:assert/strict';
import { ENTRIES } from '../../../../src/annotation/catalogue.ts';
import { parseAnnotations } from '../../../../src/annotation/parse.ts';
import { describeAction, type Action } from '../../../../src/clb/model/action.ts';
import { desiredListener } from '../../../../src/clb/desired/listener.ts';
import { attributeKeyOf, type AttributeKey } from '../../../../src/clb/guards/blockable-attributes.ts';
import { POLICY, withoutBlockedByPolicy } from '../../../../src/clb/guards/policy-blocks.ts';
import type { Observed } from '../../../../src/clb/model/desired-and-observed-state.ts';
import {
  aListener,
  aLoadBalancer,
  anObservedGroup,
  anObservedListener,
  groupName,
  OWNER,
} from '../../../support/clb-objects.ts';

const creation = (port: number, over: object = {}): readonly Action[] => [
  { kind: 'create-listener', listener: aListener(port, over) },
  { kind: 'start-listener', listener: { port, protocol: aListener(port, over).protocol } },
];
const group = (port: number): Action => ({
  kind: 'create-server-group',
  group: groupName(30_000 + port),
  backends: [],
});
const update = (set: Readonly<Record<string, unknown>>, moved: object = {}): Action => ({
  kind: 'update-listener',
  listener: { port: 80, protocol: 'tcp' },
  set,
  ...moved,
});
const deletion = (port: number): Action => ({ kind: 'delete-listener', listener: { port, protocol: 'tcp' } });
const BACKENDS: Action = { kind: 'add-backends', group: groupName(30_080), backends: [] };
const DELETION: Action = { kind: 'delete-server-group', group: groupName(30_080) };
const THERE: Observed = {
  loadBalancer: aLoadBalancer(),
  groups: [anObservedGroup(30_080)],
  listeners: [anObservedListener(80, { aclStatus: 'on', aclType: 'white', aclId: 'acl-1', scheduler: 'rr' })],
};

interface Row {
  readonly about: readonly AttributeKey[];
  readonly plan: readonly Action[];
  /** Remaining actions. Undefined for the complete plan. */
  readonly left?: readonly Action[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'a listener on a port, with its group, and no other action': {
    about: ['port/22'],
    plan: [group(22), group(81), ...creation(22), ...creation(81), BACKENDS],
    left: [group(81), ...creation(81), BACKENDS],
  },
  'every new listener above a limit': {
    about: ['listeners'],
    plan: [...creation(81), ...creation(82), deletion(80)],
    left: [deletion(80)],
  },
  'no replacement of an existing listener by its port or by a limit of listeners': {
    about: ['listeners', 'port/80'],
    plan: [deletion(80), ...creation(80, { protocol: 'http' })],
  },
  'a protocol, with the old listener and its group kept': {
    about: ['protocol/80'],
    plan: [deletion(80), ...creation(80, { protocol: 'http', group: groupName(30_081) }), BACKENDS, DELETION],
    left: [BACKENDS],
  },
  'a field only on the port that the violation also names': {
    about: ['port/22', 'annotation/aclStatus'],
    plan: [...creation(22), ...creation(81), update({ aclStatus: 'off' })],
    left: [...creation(81), update({ aclStatus: 'off' })],
  },
  'a new listener of a protocol with the field': {
    about: ['annotation/aclStatus'],
    plan: [...creation(81), update({ scheduler: 'wrr' })],
    left: [update({ scheduler: 'wrr' })],
  },
  'no new listener of a protocol without the field': {
    about: ['annotation/persistenceTimeout'],
    plan: creation(81, { protocol: 'http' }),
  },
  'a field, with the fields that the cloud accepts only together with it': {
    about: ['annotation/aclStatus'],
    plan: [update({ aclStatus: 'off', aclType: 'white', aclId: 'acl-1', scheduler: 'wrr' })],
    left: [update({ scheduler: 'wrr' })],
  },
  'no field that is sent unchanged': {
    about: ['annotation/aclStatus'],
    plan: [update({ aclStatus: 'on', aclType: 'white', aclId: 'acl-2' })],
  },
  'a field, but not the new group of the listener': {
    about: ['annotation/scheduler'],
    plan: [update({ scheduler: 'wrr' }, { group: groupName(30_081) })],
    left: [update({}, { group: groupName(30_081) })],
  },
  'a tag by its key, and never an owner tag': {
    about: ['tag/team'],
    plan: [
      { kind: 'tag', tags: { team: 'x', cost: '1', 'kubernetes.do.not.delete': 'a' } },
      { kind: 'untag', keys: ['team', 'old'] },
    ],
    left: [
      { kind: 'tag', tags: { cost: '1', 'kubernetes.do.not.delete': 'a' } },
      { kind: 'untag', keys: ['old'] },
    ],
  },
  'bandwidth and charge type together': {
    about: ['annotation/bandwidth'],
    plan: [
      { kind: 'set-internet-spec', change: { chargeType: 'paybybandwidth', bandwidth: 500 } },
      { kind: 'set-spec', spec: 'slb.s2.small' },
      { kind: 'rename', name: 'x' },
    ],
    left: [
      { kind: 'set-spec', spec: 'slb.s2.small' },
      { kind: 'rename', name: 'x' },
    ],
  },
  'nothing for a violation outside of the load balancer': { about: [], plan: [...creation(81), BACKENDS] },
};

const planned = (actions: readonly Action[]) => ({ actions, blocked: [] });

/** A policy blocks exactly the actions that it forbids, so that backends and other ports continue. */
describe('a policy violation of a served Service', () => {
  for (const [what, { about, plan, left = plan }] of Object.entries(ROWS)) {
    it(`blocks ${what}`, () => {
      const policyBlocks = { isNew: false, all: [{ rule: POLICY, about, reason: 'not here' }] };
      const result = withoutBlockedByPolicy(policyBlocks, THERE)(planned(plan));
      assert.deepEqual(result.actions.map(describeAction), left.map(describeAction));
      assert.equal(result.blocked.length > 0, left !== plan);
      assert.ok(result.blocked.every(({ rule, reason }) => rule === 'PolicyViolation' && reason === 'not here'));
    });
  }

  it('does not block the deletion of an unobserved group if a listener has no group', () => {
    const forwards = anObservedListener(80, { protocol: 'http', groupId: undefined });
    const policyBlocks = { isNew: false, all: [{ rule: POLICY, about: ['protocol/80' as const], reason: 'not here' }] };
    const result = withoutBlockedByPolicy(policyBlocks, { ...THERE, listeners: [forwards] })(
      planned([deletion(80), ...creation(80), { kind: 'delete-server-group', group: 'unknown' }]),
    );
    assert.deepEqual(result.actions, [{ kind: 'delete-server-group', group: 'unknown' }]);
  });

  it('is reported with the reason of each violation', () => {
    const all = ['this', 'that'].map((reason) => ({ rule: POLICY, about: ['port/22' as const], reason }));
    const { blocked } = withoutBlockedByPolicy({ isNew: false, all }, THERE)(planned(creation(22)));
    assert.deepEqual(
      blocked.flatMap(({ action, reason }) => (action?.kind === 'create-listener' ? [reason] : [])),
      ['this', 'that'],
    );
  });
});

describe('a policy violation of a new Service', () => {
  it('blocks all resources', () => {
    const policyBlocks = { isNew: true, all: [{ rule: POLICY, about: [], reason: 'not here' }] };
    assert.deepEqual(withoutBlockedByPolicy(policyBlocks, THERE)(planned([...creation(81), BACKENDS])), {
      actions: [],
      blocked: [{ rule: 'PolicyViolation', reason: 'not here' }],
    });
  });
});

describe('every field of a listener', () => {
  const PROTOCOLS = ['tcp', 'udp', 'http', 'https'] as const;
  /** Fields that need no annotation: they identify the listener, or other actions change them. */
  const WITHOUT_ANNOTATION = new Set([
    'protocol',
    'port',
    'description',
    'group',
    'listenerForward',
    'forwardPort',
    'domainExtensions',
  ]);
  const options = new Set<string>(ENTRIES.map(([option]) => `annotation/${option}`));
  const { options: input } = parseAnnotations(
    Object.fromEntries(ENTRIES.map(([, { key, example }]) => [key, example])),
  );
  for (const protocol of PROTOCOLS) {
    it(`of ${protocol} has an annotation`, () => {
      const fields = Object.keys(desiredListener(OWNER, { port: 80, protocol, group: 'g' }, input));
      const others = fields.filter((field) => !WITHOUT_ANNOTATION.has(field) && !options.has(attributeKeyOf(field)));
      assert.deepEqual(others, []);
      assert.ok(fields.length > 10);
    });
  }
});
