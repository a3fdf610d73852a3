import { aPicture, called, testInvariant } from '../../../support/invariants/history-builders.ts';
import { preservedWithoutBackends } from '../../../support/invariants/invariants/untagged-without-backends.ts';
import type { GroupPicture } from '../../../support/invariants/moment.ts';

const backend = { serverId: 'i-1', serverIp: undefined, port: 30_080, description: 'k8s/30080/web/shop/c1' };
const group = (backends: GroupPicture['backends']): GroupPicture => ({
  id: 'rsp-1',
  name: 'k8s/30080/web/shop/c1',
  backends,
});
const untagged = (backends: GroupPicture['backends'], tags = {}) =>
  called('UntagResources', {
    target: aPicture({ groups: [group(backends)] }),
    after: aPicture({ tags, groups: [group(backends)] }),
  });

/** Other pods and machines get the addresses of remaining backends later, and would receive the traffic. */
testInvariant(preservedWithoutBackends, {
  keep: {
    'its groups are empty': untagged([]),
    'a backend belongs to a user': untagged([{ ...backend, description: undefined }]),
    'the load balancer keeps its owner tag': untagged([backend], aPicture().tags),
    'another tag is removed from a load balancer without an owner': called('UntagResources', {
      target: aPicture({ tags: { team: 'shop' }, groups: [group([backend])] }),
      after: aPicture({ tags: {}, groups: [group([backend])] }),
    }),
  },
  break: { 'a backend of the Service stays': untagged([backend]) },
});
