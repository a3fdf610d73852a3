import {
  aBinding,
  aPicture,
  called,
  withMetadata,
  USER_MANAGED,
  testInvariant,
  recorded,
  stored,
  SYNCED,
  SYNCING,
} from '../../../support/invariants/history-builders.ts';
import { objectKey } from '../../../../src/base/kubernetes-objects.ts';
import { recordedBeforeWrite } from '../../../support/invariants/invariants/recorded-before-write.ts';

const plain = stored(undefined, withMetadata());
const begun = recorded(undefined, SYNCING);
const change = called('SetLoadBalancerName', { target: aPicture() });
const NAME = 'k8s/80/web/shop/c1';
/** A user-managed load balancer with the resources of the Service. */
const hers = aPicture({
  ...USER_MANAGED,
  listeners: [{ port: 80, protocol: 'tcp', description: NAME }],
  groups: [{ id: 'rsp-1', name: NAME, backends: [] }],
});
const onListener = called('DeleteLoadBalancerListener', { target: hers, parameters: { ListenerPort: '80' } });
const onGroup = called('DeleteVServerGroup', { target: hers, parameters: { VServerGroupId: 'rsp-1' } });
const OF_API = NAME.replace('web', 'api');
/** Returns a call that changes a backend of a group. The group has the backend `has`, or no backend. */
const onBackend = (action: string, has: string | undefined, description = NAME, name = 'hers') => {
  const backends = has === undefined ? [] : [{ serverId: 'i-1', serverIp: undefined, port: 80, description: has }];
  return called(action, {
    target: aPicture({ ...USER_MANAGED, groups: [{ id: 'rsp-hers', name, backends }] }),
    parameters: {
      VServerGroupId: 'rsp-hers',
      BackendServers: JSON.stringify([{ ServerId: 'i-1', Port: '80', Description: description }]),
    },
  });
};
const onMember = onBackend('RemoveVServerGroupBackendServers', NAME);
/** A call that gives the backend to Service `api`. */
const handedOver = onBackend('SetVServerGroupAttribute', NAME, OF_API);
const done = recorded(SYNCING, SYNCED);
const ENDED = { operation: { type: 'Sync', state: 'Ended' } } as const;
const over = recorded(SYNCING, ENDED);
const [sent = plain, answered = plain] = onListener;
/** The binding of another Service of the same name. */
const ofAnother = {
  ...recorded(undefined, SYNCING),
  key: objectKey('another'),
  after: aBinding(SYNCING, 'another'),
};

/** The deletion of the binding with its definition. */
const deletedWithCrd = { ...recorded(SYNCED, undefined, { by: 'others' }), isDefinitionDeleted: true };

/** After a crash, only the record shows that calls may still take effect. */
testInvariant(recordedBeforeWrite, {
  keep: {
    'a call follows the record of the operation and precedes the digest': [plain, begun, ...change, done],
    'resources on a user-managed load balancer change after the operation': [
      plain,
      begun,
      ...onListener,
      ...onGroup,
      ...onMember,
      done,
    ],
    'a read precedes the record of the operation': [
      plain,
      ...called('DescribeLoadBalancerAttribute', { target: aPicture() }),
      begun,
    ],
    'a user deletes the binding between the operation and a call': [
      plain,
      begun,
      recorded(SYNCING, undefined, { by: 'others' }),
      ...change,
    ],
    'a user removes the operation before a call': [plain, begun, recorded(SYNCING, {}, { by: 'others' }), ...change],
    'a backend of the Service is removed after the deletion of CRD and binding': [plain, deletedWithCrd, ...onMember],
    'a group of the Service gets a backend after the deletion of CRD and binding': [
      plain,
      deletedWithCrd,
      ...onBackend('AddVServerGroupBackendServers', undefined, NAME, NAME),
    ],
    'the weight of a backend changes after the deletion of CRD and binding': [
      plain,
      deletedWithCrd,
      ...onBackend('SetVServerGroupAttribute', NAME),
    ],
    'all calls ended before the record of the end, and the next call follows a new operation': [
      plain,
      begun,
      ...onListener,
      over,
      recorded(ENDED, SYNCING),
      ...onGroup,
    ],
    'the digest is stored while a call may still take effect': [
      plain,
      begun,
      ...change,
      recorded(SYNCING, { ...SYNCED, ...SYNCING }),
      ...change,
    ],
    'the binding is deleted with the last resource of the Service': [
      plain,
      begun,
      ...change,
      recorded(SYNCING, undefined),
    ],
  },
  break: {
    'a call precedes the record of the operation': [plain, ...change, begun],
    'only the binding of another Service of the name has an operation': [plain, ofAnother, ...change],
    'a listener on a user-managed load balancer is deleted before the operation': [plain, ...onListener, begun],
    'a group on a user-managed load balancer is deleted before the operation': [plain, ...onGroup, begun],
    'a backend is removed from a user-managed group before the operation': [plain, ...onMember, begun],
    'a backend is assigned to another Service before the operation': [plain, ...handedOver, begun],
    'a call follows the digest': [plain, begun, ...change, done, ...change],
    'a call follows the deletion of the binding': [plain, begun, recorded(SYNCING, undefined), ...change],
    'a backend of the Service is removed after a user deleted only the binding': [
      plain,
      recorded(SYNCED, undefined, { by: 'others' }),
      ...onMember,
    ],
    'a backend of the Service is removed before the operation when the CRD is back': [
      plain,
      deletedWithCrd,
      recorded(undefined, SYNCED),
      ...onMember,
    ],
    'an unused group gets a backend after the deletion of CRD and binding': [
      plain,
      deletedWithCrd,
      ...onBackend('AddVServerGroupBackendServers', undefined),
    ],
    'a group is created with a backend after the deletion of CRD and binding': [
      plain,
      deletedWithCrd,
      ...called('CreateVServerGroup', {
        target: aPicture(USER_MANAGED),
        parameters: {
          VServerGroupName: NAME,
          BackendServers: JSON.stringify([{ ServerId: 'i-1', Port: '80', Description: NAME }]),
        },
      }),
    ],
    'a call of another kind follows the deletion of CRD and binding': [plain, deletedWithCrd, ...change],
    'a call follows the record of the end': [plain, begun, ...change, over, ...change],
    'the end is recorded before the calls ended': [plain, begun, sent, over, answered],
    'the operation is removed without a digest': [plain, begun, ...change, recorded(SYNCING, {})],
  },
});
