import type { Reason } from '../base/errors.ts';
import { isWrite, type CloudOperation, type CloudRejection } from './cloud-call-types.ts';

/** An error reason and its error codes in the cloud. */
interface ReasonCodes {
  readonly reason: Reason;
  /** Whole codes. */
  readonly exactly?: readonly string[];
  /** Codes that can have a suffix after a dot. */
  readonly beginning?: readonly string[];
}

/** The error reasons of the cloud's error codes. `reasonOf` determines the reasons of all other codes. */
const ERROR_CODES: readonly ReasonCodes[] = [
  {
    // The resource is busy; a retry without changes soon succeeds.
    reason: 'Busy',
    exactly: [
      'ServiceIsConfiguring',
      'ServiceIsStopping',
      'BackendServer.configuring',
      'OperationBusy',
      'SystemBusy',
      'VpcSystemBusy',
      'ListenerProcessing',
      'OperationFailed.ListenerStatusNotSupport',
      'Operation.Deny',
      'VServerGroupProcessing',
      'OperationFailed.ServiceGroupProcessing',
      'DomainExtensionProcessing',
      'AclEntryProcessing',
      'OperationFailed.TokenIsProcessing',
      'LastTokenProcessing',
      'ProcessingSameRequest',
      'OperationConflict',
      'OperationFailed.DistibuteLock',
      'TaskConflict',
      'IncorrectRouteEntryStatus',
      'IncorrcetRouteEntryStatus',
      'IncorrectStatus.VpcRouteEntry',
      'IncorrectVpcStatus',
      'IncorrectVSwitchStatus',
      'IncorrectRouteTableStatus',
      'IncorrectInstanceStatus',
      'InvalidOperation.InvalidEniState',
      'InvalidOperation.Conflict',
      'LocationServiceTimeout',
      // A listener or rule uses the server group. A retry helps, because the cloud releases the group soon after the deletion of the listener.
      'RspoolVipExist',
      'RspoolRuleExist',
    ],
  },
  {
    reason: 'NotFound',
    exactly: [
      'InvalidLoadBalancerId.NotFound',
      'ListenerNotFound',
      'InvalidParameter.DomainExtensionId',
      'ResourceNotFound.Listener',
      'ResourceNotFound.VServerGroup',
      'InvalidRouteEntry.NotFound',
      'InvalidRouteEntryId.NotFound',
      'VPC_ROUTER_ENTRY_NOT_EXIST',
      'InvalidRouteTableId.NotFound',
      'InvalidVpcID.NotFound',
      'InvalidVpcId.NotFound',
      'Forbidden.VpcNotFound',
      'InvalidInstanceId.NotFound',
      'InvalidEniId.NotFound',
    ],
  },
  {
    reason: 'Conflict',
    exactly: [
      'ListenerAlreadyExists',
      'ListenerPortConflict',
      'InvalidParameter.ListenerPortConflict',
      'ListenerForwardExist',
      'DomainExist',
      'LX_REQUEST_TOKEN_CONFLICT',
      'InvalidCIDRBlock.Duplicate',
      'InvalidRouteEntry.Duplicate',
      'RouterEntryConflict.Duplicated',
      'VPC_ROUTE_ENTRY_CIDR_BLOCK_DUPLICATE',
    ],
  },
  {
    reason: 'InvalidBackend',
    exactly: [
      'InvalidServerId.NotFound',
      'InvalidServerId.NotExist',
      'ResourceNotFound.vServers',
      'ObtainIpFail',
      'NetworkConflict',
    ],
  },
  {
    reason: 'QuotaExceeded',
    exactly: [
      'OverQuota',
      'ORDER.QUANTITY_INVALID',
      'OperationForbidden.QuotaLimit',
      'ListenerNumberOverLimit',
      'VipTooManyListeners',
      'InstanceBackendServerNumberOverLimit',
      'AclListenerOverLimit',
      'AclOverLimit',
      'TagCountLimit',
      'TagCreateCountLimit',
      'SizeLimitExceeded.Tag',
      'QuotaExceeded',
    ],
    beginning: ['QuotaExceeded'],
  },
  {
    reason: 'Unauthorized',
    exactly: ['SignatureDoesNotMatch', 'IncompleteSignature', 'IllegalTimestamp', 'MissingSecurityToken'],
    beginning: ['InvalidAccessKeyId', 'InvalidSecurityToken', 'InvalidTimeStamp', 'InvalidCredentials'],
  },
  { reason: 'Forbidden', beginning: ['Forbidden', 'NoPermission'] },
  // The cloud uses this code for a page too far into a long list, not for a high rate of calls.
  { reason: 'Rejected', exactly: ['Throttling.DeepPageSkip'] },
];

/** The rejection of an unknown server group. The cloud also uses this code for other errors, so the documented message must match. */
const GROUP_NOT_FOUND = { code: 'InvalidParameter', status: 404, message: /VServerGroupId does not exist/i };

/**
 * Codes of rejections that leave the outcome of the call unknown. `SignatureNonceUsed` means that the call arrived twice, so the first arrival may
 * have succeeded.
 */
const UNKNOWN_OUTCOMES: ReadonlySet<string> = new Set([
  'InternalError',
  'InternalInvokeError',
  'UnknownError',
  'SignatureNonceUsed',
]);

const has = ({ exactly = [], beginning = [] }: ReasonCodes, code: string): boolean =>
  exactly.includes(code) || beginning.some((start) => code === start || code.startsWith(`${start}.`));

/** Returns the reason for a call without a response, or with a response that leaves the outcome unknown. */
export const unansweredReason = (operation: CloudOperation): Reason =>
  isWrite(operation) ? 'OutcomeUnknown' : 'Unavailable';

/** Returns the error reason of a rejection. The reason decides how the controller retries and reports the failure. */
export function reasonOf(rejection: CloudRejection, operation: CloudOperation): Reason {
  const { code, status, message } = rejection;
  const known = ERROR_CODES.find((each) => has(each, code));
  if (known !== undefined) return known.reason;
  if (code.includes('Throttling')) return 'Throttled';
  if (code === GROUP_NOT_FOUND.code && status === GROUP_NOT_FOUND.status && GROUP_NOT_FOUND.message.test(message)) {
    return 'NotFound';
  }
  if (status >= 500 || UNKNOWN_OUTCOMES.has(code)) return unansweredReason(operation);
  return 'Rejected';
}
