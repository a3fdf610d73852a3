import type { Reason } from '../base/errors.ts';
import { isWrite, type CloudOperation, type CloudRejection } from './call.ts';

/** A reason and its codes: the codes in `exactly`, and the codes that start with a text of `beginning` and a dot. */
interface ReasonCodes {
  readonly reason: Reason;
  readonly exactly?: readonly string[];
  readonly beginning?: readonly string[];
}

/** The reasons of the cloud's error codes. An unknown code with a status below 500 means `Rejected`. */
const ERROR_CODES: readonly ReasonCodes[] = [
  {
    // A retry without changes soon succeeds.
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
      // A listener or a rule still refers to the group. The reference disappears a moment after the listener.
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
  // The cloud rejects deep skips in a long list with a throttling code. The rejection has nothing to do with the rate.
  { reason: 'Rejected', exactly: ['Throttling.DeepPageSkip'] },
];

/** A rejection that only its documented message distinguishes from other rejections with the same code. */
const GROUP_NOT_FOUND = { code: 'InvalidParameter', status: 404, message: /VServerGroupId does not exist/i };

/** Codes of rejections after which the outcome of the call is unknown. `SignatureNonceUsed` means that the call arrived twice. */
const UNCLEAR: ReadonlySet<string> = new Set([
  'InternalError',
  'InternalInvokeError',
  'UnknownError',
  'SignatureNonceUsed',
]);

const has = ({ exactly = [], beginning = [] }: ReasonCodes, code: string): boolean =>
  exactly.includes(code) || beginning.some((start) => code === start || code.startsWith(`${start}.`));

/** Returns the reason for a call without an answer, or with an answer that leaves the outcome unknown. */
export const unanswered = (operation: CloudOperation): Reason =>
  isWrite(operation) ? 'OutcomeUnknown' : 'Unavailable';

/** Returns the reason of a rejection. If the outcome is unknown, the reason is `OutcomeUnknown` for a write and `Unavailable` for a read. */
export function reasonOf(rejection: CloudRejection, operation: CloudOperation): Reason {
  const { code, status, message } = rejection;
  const known = ERROR_CODES.find((each) => has(each, code));
  if (known !== undefined) return known.reason;
  if (code.includes('Throttling')) return 'Throttled';
  if (code === GROUP_NOT_FOUND.code && status === GROUP_NOT_FOUND.status && GROUP_NOT_FOUND.message.test(message)) {
    return 'NotFound';
  }
  if (status >= 500 || UNCLEAR.has(code)) return unanswered(operation);
  return 'Rejected';
}
