import type { Reason } from '../base/errors.ts';
import { isWrite, type Operation, type CloudRejection } from './call.ts';

/** `exactly` these codes, and those that begin with one of `beginning` and a dot, mean this reason. */
interface ErrorMeaning {
  readonly reason: Reason;
  readonly exactly?: readonly string[];
  readonly beginning?: readonly string[];
}

/** What the cloud's codes mean to a caller. A code that is not here, with a status below 500, means `Rejected`. */
const MEANINGS: readonly ErrorMeaning[] = [
  {
    // Repeat soon with nothing changed.
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
      // A listener or a rule still refers to the group; it goes a moment after the listener went.
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
  // Skipping deep into a long list is refused under a throttling code, and is not a matter of rate.
  { reason: 'Rejected', exactly: ['Throttling.DeepPageSkip'] },
];

/** The one refusal that only its documented message tells from others of the same code. */
const GROUP_NOT_FOUND = { code: 'InvalidParameter', status: 404, message: /VServerGroupId does not exist/i };

/** Refusals after which nobody can say whether the call took effect. A nonce used twice: something on the way sent it twice. */
const UNCLEAR: ReadonlySet<string> = new Set([
  'InternalError',
  'InternalInvokeError',
  'UnknownError',
  'SignatureNonceUsed',
]);

const has = ({ exactly = [], beginning = [] }: ErrorMeaning, code: string): boolean =>
  exactly.includes(code) || beginning.some((start) => code === start || code.startsWith(`${start}.`));

/** What it means that a call was not answered, or by somebody who does not know. */
export const unanswered = (operation: Operation): Reason => (isWrite(operation) ? 'OutcomeUnknown' : 'Unavailable');

/** What a refusal means: for a write `OutcomeUnknown`, for a read `Unavailable`, when the cloud itself does not know. */
export function reasonOf(refusal: CloudRejection, operation: Operation): Reason {
  const { code, status, message } = refusal;
  const meaning = MEANINGS.find((each) => has(each, code));
  if (meaning !== undefined) return meaning.reason;
  if (code.includes('Throttling')) return 'Throttled';
  if (code === GROUP_NOT_FOUND.code && status === GROUP_NOT_FOUND.status && GROUP_NOT_FOUND.message.test(message)) {
    return 'NotFound';
  }
  if (status >= 500 || UNCLEAR.has(code)) return unanswered(operation);
  return 'Rejected';
}
