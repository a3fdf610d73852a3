import {
  aBinding,
  aPicture,
  called,
  held,
  HERS,
  judges,
  recorded,
  stored,
  SYNCED,
  SYNCING,
} from '../../support/history/build.ts';
import { objectKey } from '../../../src/base/objects.ts';
import { recordedBeforeWrite } from '../../support/history/invariants/recorded-before-write.ts';

const plain = stored(undefined, held());
const begun = recorded(undefined, SYNCING);
const change = called('SetLoadBalancerName', { target: aPicture() });
const NAME = 'k8s/80/web/shop/c1';
/** A user-managed load balancer with the resources of the Service. */
const hers = aPicture({
  ...HERS,
  listeners: [{ port: 80, protocol: 'tcp', description: NAME }],
  groups: [{ id: 'rsp-1', name: NAME, backends: [] }],
});
const onListener = called('DeleteLoadBalancerListener', { target: hers, parameters: { ListenerPort: '80' } });
const onGroup = called('DeleteVServerGroup', { target: hers, parameters: { VServerGroupId: 'rsp-1' } });
const OF_API = NAME.replace('web', 'api');
/** Returns a call for one backend of a group with one backend named `has`, or of an empty group. */
const onBackend = (action: string, has: string | undefined, description = NAME, name = 'hers') => {
  const backends = has === undefined ? [] : [{ serverId: 'i-1', serverIp: undefined, port: 80, description: has }];
  return called(action, {
    target: aPicture({ ...HERS, groups: [{ id: 'rsp-hers', name, backends }] }),
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

/** The binding is deleted with its definition. */
const undefinedAfter = { ...recorded(SYNCED, undefined, { by: 'others' }), isDefinitionDeleted: true };

judges(recordedBeforeWrite, {
  keep: {
    'a call comes between operation and digest': [plain, begun, ...change, done],
    'what it has in another’s load balancer is changed after it': [
      plain,
      begun,
      ...onListener,
      ...onGroup,
      ...onMember,
      done,
    ],
    'a read comes before it': [plain, ...called('DescribeLoadBalancerAttribute', { target: aPicture() }), begun],
    'somebody deletes the binding in between': [
      plain,
      begun,
      recorded(SYNCING, undefined, { by: 'others' }),
      ...change,
    ],
    'somebody removes the operation in between': [plain, begun, recorded(SYNCING, {}, { by: 'others' }), ...change],
    'its backend leaves after the binding was deleted with its definition': [plain, undefinedAfter, ...onMember],
    'its backend joins its own group after the binding was deleted with its definition': [
      plain,
      undefinedAfter,
      ...onBackend('AddVServerGroupBackendServers', undefined, NAME, NAME),
    ],
    'the weight of its backend changes after the binding was deleted with its definition': [
      plain,
      undefinedAfter,
      ...onBackend('SetVServerGroupAttribute', NAME),
    ],
    'all has ended before it says so, and another call comes after it says that one is in progress': [
      plain,
      begun,
      ...onListener,
      over,
      recorded(ENDED, SYNCING),
      ...onGroup,
    ],
    'the digest is stored while another call may yet take effect': [
      plain,
      begun,
      ...change,
      recorded(SYNCING, { ...SYNCED, ...SYNCING }),
      ...change,
    ],
    'the binding is deleted with the last of the Service': [plain, begun, ...change, recorded(SYNCING, undefined)],
  },
  break: {
    'a call comes before it': [plain, ...change, begun],
    'only the binding of another Service of the name has an operation': [plain, ofAnother, ...change],
    'its listener in another’s load balancer is deleted before it': [plain, ...onListener, begun],
    'its group in another’s load balancer is deleted before it': [plain, ...onGroup, begun],
    'its backend leaves another’s group before it': [plain, ...onMember, begun],
    'its backend in another’s group becomes another Service’s before it': [plain, ...handedOver, begun],
    'a call comes after the digest': [plain, begun, ...change, done, ...change],
    'a call comes after the binding is deleted': [plain, begun, recorded(SYNCING, undefined), ...change],
    'its backend leaves after somebody has deleted the binding alone': [
      plain,
      recorded(SYNCED, undefined, { by: 'others' }),
      ...onMember,
    ],
    'its backend leaves before the operation once the definition is back': [
      plain,
      undefinedAfter,
      recorded(undefined, SYNCED),
      ...onMember,
    ],
    'its backend joins a group new to it after the binding was deleted with its definition': [
      plain,
      undefinedAfter,
      ...onBackend('AddVServerGroupBackendServers', undefined),
    ],
    'its group is created with its backend after the binding was deleted with its definition': [
      plain,
      undefinedAfter,
      ...called('CreateVServerGroup', {
        target: aPicture(HERS),
        parameters: {
          VServerGroupName: NAME,
          BackendServers: JSON.stringify([{ ServerId: 'i-1', Port: '80', Description: NAME }]),
        },
      }),
    ],
    'a call that is of more than backends comes after the binding was deleted with its definition': [
      plain,
      undefinedAfter,
      ...change,
    ],
    'a call comes after it has said that all has ended': [plain, begun, ...change, over, ...change],
    'it says that all has ended before it has': [plain, begun, sent, over, answered],
    'the operation is removed without a digest': [plain, begun, ...change, recorded(SYNCING, {})],
  },
});
