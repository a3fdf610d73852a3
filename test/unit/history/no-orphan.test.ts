import { aPicture, BEGUN, called, held, judges, OWNER, stored } from '../../support/history/build.ts';
import { noOrphan } from '../../support/history/invariants/no-orphan.ts';
import { OWNER_TAG } from '../../support/history/ownership.ts';

const create = (outcome?: string) =>
  called('CreateLoadBalancer', {
    parameters: { 'Tag.1.Key': OWNER_TAG, 'Tag.1.Value': OWNER },
    ...(outcome === undefined ? {} : { outcome }),
  });
const creation = create();
const group = called('CreateVServerGroup', {
  target: aPicture(),
  parameters: { VServerGroupName: 'k8s/80/web/shop/c1' },
});
const plain = stored(undefined, held());
const letGo = stored(held(BEGUN), undefined, { by: 'controller' });

judges(noOrphan, {
  keep: {
    'the Service is there': [plain, ...creation, ...group, letGo],
    'it was refused': [plain, letGo, ...create('InvalidParameter')],
    'somebody has forced the Service away': [plain, stored(held(BEGUN), undefined), ...group],
  },
  break: {
    'a load balancer comes after its Service was let go': [plain, letGo, ...creation],
    'a group comes after its Service was let go': [plain, letGo, ...group],
  },
});
