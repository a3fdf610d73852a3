import { hasReason } from '../../base/errors.ts';
import type { ClbApi } from '../../clb/model/clb-api.ts';
import type { SlbClient } from './client.ts';

const NO_SUCH_LIST = 'AclNotExist';

/** Returns the SLB call that checks whether an access control list exists, before a listener refers to the list. */
export const accessControlListApi = (client: SlbClient): Pick<ClbApi, 'hasAccessControlList'> => ({
  hasAccessControlList: async (aclId, context) => {
    try {
      await client.call('describeAccessControlListAttribute', { aclId }, context);
      return true;
    } catch (error) {
      if (hasReason(error, 'Rejected') && error.code === NO_SUCH_LIST) return false;
      throw error;
    }
  },
});
