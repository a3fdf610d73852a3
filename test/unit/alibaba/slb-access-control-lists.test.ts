import assert from 'node:assert/strict';
import { CloudRejection } from '../../../src/alibaba/cloud-call-types.ts';
import { aCall } from '../../support/scripted-cloud.ts';
import { scriptedSlb } from '../../support/scripted-slb.ts';

/** A missing list must be distinct from a failed lookup, because a listener without its list accepts every client. */
describe('the lookup of an access control list', () => {
  it('requests the list by its id', async () => {
    const { clb, sent } = scriptedSlb({ AclId: 'acl-1' });
    assert.equal(await clb.hasAccessControlList('acl-1', aCall()), true);
    const parameters = { RegionId: 'cn-hangzhou', AclId: 'acl-1' };
    assert.deepEqual(sent, [{ action: 'DescribeAccessControlListAttribute', parameters }]);
  });

  it('returns false for the error code AclNotExist', async () => {
    const { clb } = scriptedSlb(new CloudRejection('no', { code: 'AclNotExist', status: 400 }));
    assert.equal(await clb.hasAccessControlList('acl-1', aCall()), false);
  });

  it('rejects with every other error code', async () => {
    const { clb } = scriptedSlb(new CloudRejection('no', { code: 'InvalidParameter', status: 400 }));
    await assert.rejects(clb.hasAccessControlList('acl-1', aCall()), { reason: 'Rejected' });
  });
});
