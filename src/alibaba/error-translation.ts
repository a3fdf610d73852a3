import { PortcullisError, type Reason } from '../base/errors.ts';
import { cutToCharacters } from '../base/cut-text.ts';
import { NoAnswer, CloudRejection, isWrite, type CloudOperation } from './cloud-call-types.ts';
import { reasonOf, unansweredReason } from './error-codes.ts';

const ADVICE: Partial<Record<Reason, string>> = {
  Unauthorized: 'check the access key',
  Forbidden: 'grant the permission to the RAM user or role',
  QuotaExceeded: 'request a higher quota, or delete unused resources',
  Throttled: 'the rate limit of this API is used up until its window ends',
};
const ADVICE_BY_CODE: readonly { readonly code: RegExp; readonly advice: string }[] = [
  { code: /^(InvalidTimeStamp|IllegalTimestamp)/, advice: 'correct the clock of this machine, which is minutes off' },
  {
    code: /^(ORDER\.ARREARAGE|PAY\.|OperationFailed\.UnpaidBillsExist|InvalidAccountStatus\.NotEnoughBalance)/,
    advice: 'pay the open bills of the account, or raise its balance',
  },
  {
    code: /^VSwitchAvailableIpNotExist$/,
    advice:
      'set the annotation vswitch-id to a vSwitch with free addresses, or add such a vSwitch to vswitchid of the cloud-config',
  },
  {
    code: /^(InvalidVSwitchId|InvalidVpcI[dD]|Forbidden\.VpcNotFound|MissingParam\.VSwitchId)/,
    advice:
      'check region, vpcid and vswitchid of the cloud-config, and the annotation vswitch-id: all must belong to one region',
  },
  {
    code: /^Rspool(Vip|Rule)Exist$/,
    advice:
      'a listener or a forwarding rule still uses the server group; delete the listener or rule, or let it use another group',
  },
];

const SOURCES = 'the Secret, file or variables with the credentials';
/** Replacements for messages of the cloud that quote the signed request, or that do not help the user. */
const REPLACED_MESSAGES: readonly { readonly code: RegExp; readonly messageFor: (permission: string) => string }[] = [
  {
    code: /^(SignatureDoesNotMatch|IncompleteSignature)$/,
    messageFor: () => `the access key secret does not match the access key; check ${SOURCES}`,
  },
  {
    code: /^InvalidAccessKeyId\.(Inactive|Disabled)$/,
    messageFor: () => `the access key is disabled; enable the key in RAM, or set another key in ${SOURCES}`,
  },
  {
    code: /^InvalidAccessKeyId(\.|$)/,
    messageFor: () => `the access key does not exist; check ${SOURCES}`,
  },
  {
    code: /^InvalidSecurityToken\.Expired$/,
    messageFor: () => `the security token has expired; renew ${SOURCES} in time`,
  },
  {
    code: /^(InvalidSecurityToken(\.|$)|MissingSecurityToken$)/,
    messageFor: () => `the security token is missing or does not match the access key; check ${SOURCES}`,
  },
  {
    code: /^(Forbidden\.(RAM|NoPermission)|NoPermission(\..+)?)$/,
    messageFor: (permission) => `permission ${permission} is missing; grant the permission to the RAM user or role`,
  },
];
const MESSAGE_LENGTH = 300;
const cut = (text: string): string => cutToCharacters(text, MESSAGE_LENGTH);

/** Returns the `PortcullisError` for an error of a call. Drops the original error, because its text can quote the signed request. */
export function translate(
  thrown: unknown,
  operation: CloudOperation,
  clean: (text: string) => string,
): PortcullisError {
  const { action } = operation;
  if (thrown instanceof PortcullisError) return thrown;
  if (thrown instanceof CloudRejection) return rejectionError(thrown, operation, clean);
  if (thrown instanceof NoAnswer) {
    const text = `${action}: ${cut(clean(thrown.message))}`;
    return thrown.sent
      ? new PortcullisError(
          unansweredReason(operation),
          isWrite(operation) ? `${text}; the call may have taken effect` : text,
        )
      : new PortcullisError('Unavailable', `${text}; nothing was sent`);
  }
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return new PortcullisError(unansweredReason(operation), `${action}: ${cut(clean(text))}`);
}

function rejectionError(
  rejection: CloudRejection,
  operation: CloudOperation,
  clean: (text: string) => string,
): PortcullisError {
  const { code, requestId, retryAfterMs } = rejection;
  const reason = reasonOf(rejection, operation);
  const where = requestId === undefined ? clean(code) : `${clean(code)}, request ${clean(requestId)}`;
  const own = REPLACED_MESSAGES.find((each) => each.code.test(code))?.messageFor(permissionOf(operation));
  const text = own === undefined ? quoted(rejection, reason, where, clean) : `${own} (${where})`;
  return new PortcullisError(reason, `${operation.action}: ${text}`, {
    code: clean(code),
    ...(requestId === undefined ? {} : { requestId: clean(requestId) }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Returns the message of the cloud, followed by advice if the code or the reason has advice. */
function quoted(
  { code, message }: CloudRejection,
  reason: Reason,
  where: string,
  clean: (text: string) => string,
): string {
  const advice = ADVICE_BY_CODE.find((each) => each.code.test(code))?.advice ?? ADVICE[reason];
  const cloudMessage = cut(clean(message)).replace(/[.\s]+$/, '');
  return `${cloudMessage} (${where})${advice === undefined ? '' : `; ${advice}`}`;
}

/** Returns the name of the permission in RAM policies, such as `slb:CreateLoadBalancer`. */
const permissionOf = ({ product, action }: CloudOperation): string => `${product.toLowerCase()}:${action}`;
