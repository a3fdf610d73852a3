import assert from 'node:assert/strict';
import { NoAnswer, CloudRejection } from '../../../src/alibaba/cloud-call-types.ts';
import { reasonOf } from '../../../src/alibaba/error-codes.ts';
import { translate } from '../../../src/alibaba/error-translation.ts';
import { PortcullisError, type Reason } from '../../../src/base/errors.ts';
import { slb } from '../../support/scripted-cloud.ts';

const WRITE = slb('SetLoadBalancerName');
const READ = slb('DescribeLoadBalancers');
const rejection = (code: string, status = 400, message = 'The cloud says no.') =>
  new CloudRejection(message, { code, status, requestId: 'R-1' });
const asIs = (text: string) => text;

/** Reason → error codes, each with its HTTP status unless 400. */
const REASONS_OF: Partial<Record<Reason, readonly (string | readonly [string, number])[]>> = {
  Busy: [
    'ServiceIsConfiguring',
    ['ServiceIsStopping', 409],
    ['BackendServer.configuring', 409],
    'OperationBusy',
    ['SystemBusy', 449],
    'ListenerProcessing',
    'OperationFailed.ListenerStatusNotSupport',
    'VServerGroupProcessing',
    'OperationFailed.ServiceGroupProcessing',
    'DomainExtensionProcessing',
    'AclEntryProcessing',
    'OperationFailed.TokenIsProcessing',
    'ProcessingSameRequest',
    'TaskConflict',
    'IncorrectRouteEntryStatus',
    'IncorrectVpcStatus',
    'IncorrectVSwitchStatus',
    'OperationFailed.DistibuteLock',
    'LastTokenProcessing',
    ['OperationConflict', 409],
    'VpcSystemBusy',
    'Operation.Deny',
    'RspoolVipExist',
  ],
  Throttled: ['Throttling', 'Throttling.User', 'Throttling.Api', ['Throttling.User', 503]],
  NotFound: [
    ['InvalidLoadBalancerId.NotFound', 404],
    ['ListenerNotFound', 404],
    ['ResourceNotFound.Listener', 404],
    'ResourceNotFound.VServerGroup',
  ],
  Conflict: [
    'ListenerAlreadyExists',
    'ListenerPortConflict',
    'InvalidParameter.ListenerPortConflict',
    'LX_REQUEST_TOKEN_CONFLICT',
  ],
  QuotaExceeded: [
    'OverQuota',
    'ORDER.QUANTITY_INVALID',
    'ListenerNumberOverLimit',
    'InstanceBackendServerNumberOverLimit',
    'QuotaExceeded',
    'QuotaExceeded.RouteTable',
  ],
  Forbidden: [
    ['Forbidden.RAM', 403],
    ['NoPermission', 403],
    ['Forbidden', 403],
  ],
  Unauthorized: [
    ['InvalidAccessKeyId.NotFound', 404],
    ['InvalidAccessKeyId.Inactive', 403],
    'SignatureDoesNotMatch',
    'InvalidSecurityToken.Expired',
    'InvalidTimeStamp.Expired',
  ],
  InvalidBackend: [
    ['InvalidServerId.NotFound', 404],
    'InvalidServerId.NotExist',
    'ResourceNotFound.vServers',
    'ObtainIpFail',
    'NetworkConflict',
  ],
  Rejected: [
    'InvalidParameter',
    'VSwitchAvailableIpNotExist',
    'ShareSlbHaltSales',
    'ORDER.ARREARAGE',
    'Throttling.DeepPageSkip',
    'SomethingNew',
  ],
};

/** The reason of an error decides about retries. A write with an unknown outcome must not be repeated blindly. */
describe('the error codes of the cloud', () => {
  for (const [reason, codes] of Object.entries(REASONS_OF)) {
    for (const row of codes) {
      const [code, status] = typeof row === 'string' ? [row, 400] : row;
      it(`${code} (${status}) means ${reason}`, () => {
        assert.equal(reasonOf(rejection(code, status), WRITE), reason);
        assert.equal(reasonOf(rejection(code, status), READ), reason);
      });
    }
  }

  it('identify a missing server group only by status and documented message', () => {
    const message = 'The specified VServerGroupId does not exist.';
    assert.equal(reasonOf(rejection('InvalidParameter', 404, message), WRITE), 'NotFound');
    assert.equal(reasonOf(rejection('InvalidParameter', 400, message), WRITE), 'Rejected');
    assert.equal(reasonOf(rejection('InvalidParameter', 404, 'The specified port is invalid.'), WRITE), 'Rejected');
  });

  for (const [code, status] of [
    ['InternalError', 500],
    ['ServiceUnavailable', 503],
    ['SomethingNew', 502],
    ['UnknownError', 400],
    ['SignatureNonceUsed', 400],
  ] as const) {
    it(`${code} (${status}) means OutcomeUnknown for a write, and Unavailable for a read`, () => {
      assert.equal(reasonOf(rejection(code, status), WRITE), 'OutcomeUnknown');
      assert.equal(reasonOf(rejection(code, status), READ), 'Unavailable');
    });
  }
});

describe('translated errors of the cloud', () => {
  it('contain the operation, the message, the code, the request id and advice', () => {
    const error = translate(rejection('OverQuota', 400, 'No more of these.'), WRITE, asIs);
    assert.equal(
      error.message,
      'SetLoadBalancerName: No more of these (OverQuota, request R-1); request a higher quota, or delete unused resources',
    );
    assert.equal(error.code, 'OverQuota');
    assert.equal(error.requestId, 'R-1');
  });

  const advice = {
    'the account is in arrears': ['ORDER.ARREARAGE', /pay the open bills/],
    'the clock is wrong': ['InvalidTimeStamp.Expired', /correct the clock of this machine/],
    'the quota is full': ['OverQuota', /request a higher quota/],
  } as const;
  for (const [when, [code, expected]] of Object.entries(advice)) {
    it(`contain advice if ${when}`, () => assert.match(translate(rejection(code), WRITE, asIs).message, expected));
  }

  const SOURCES = 'the Secret, file or variables with the credentials';
  const own = {
    SignatureDoesNotMatch: `the access key secret does not match the access key; check ${SOURCES}`,
    IncompleteSignature: `the access key secret does not match the access key; check ${SOURCES}`,
    'InvalidAccessKeyId.NotFound': `the access key does not exist; check ${SOURCES}`,
    'InvalidAccessKeyId.Inactive': `the access key is disabled; enable the key in RAM, or set another key in ${SOURCES}`,
    'InvalidSecurityToken.Expired': `the security token has expired; renew ${SOURCES} in time`,
    'InvalidSecurityToken.Malformed': `the security token is missing or does not match the access key; check ${SOURCES}`,
    'Forbidden.RAM': 'permission slb:SetLoadBalancerName is missing; grant the permission to the RAM user or role',
    NoPermission: 'permission slb:SetLoadBalancerName is missing; grant the permission to the RAM user or role',
  };
  for (const [code, title] of Object.entries(own)) {
    it(`about keys or permissions contain advice and the request id, not the string to sign: ${code}`, () => {
      const raw = 'Specified signature is not matched with our calculation. server string to sign is:GET&%2F&Action';
      const error = translate(rejection(code, 403, raw), WRITE, asIs);
      assert.equal(error.message, `SetLoadBalancerName: ${title} (${code}, request R-1)`);
      const reason = code.endsWith('RAM') || code.startsWith('NoPermission') ? 'Forbidden' : 'Unauthorized';
      assert.deepEqual([error.reason, error.code, error.requestId], [reason, code, 'R-1']);
    });
  }

  it('without a response are an unknown outcome for a write, and a failure for a read', () => {
    const lost = new NoAnswer('the connection was lost (ECONNRESET)', true);
    const write = translate(lost, WRITE, asIs);
    assert.equal(write.reason, 'OutcomeUnknown');
    assert.match(write.message, /ECONNRESET\); the call may have taken effect$/);
    assert.equal(translate(lost, READ, asIs).reason, 'Unavailable');
    const unreachable = translate(new NoAnswer('failed to reach the cloud (ECONNREFUSED)', false), WRITE, asIs);
    assert.equal(unreachable.reason, 'Unavailable');
    assert.match(unreachable.message, /nothing was sent$/);
  });

  it('of an unknown kind are an unknown outcome for a write', () => {
    assert.equal(translate(new TypeError('x is not a function'), WRITE, asIs).reason, 'OutcomeUnknown');
    assert.equal(translate('thrown text', READ, asIs).reason, 'Unavailable');
  });

  it('of Portcullis itself stay unchanged', () => {
    const own = new PortcullisError('Unauthorized', 'no access key was found');
    assert.equal(translate(own, WRITE, asIs), own);
  });

  it('are truncated for events, sanitized in every part, and have no cause', () => {
    const long = new CloudRejection(`secret ${'x'.repeat(5000)}`, {
      code: 'A.secret',
      status: 400,
      requestId: 'R-secret',
    });
    const error = translate(long, WRITE, (text) => text.replaceAll('secret', '[redacted]'));
    assert.ok(error.message.length < 450);
    assert.ok(![error.message, error.code, error.requestId].join().includes('secret'));
    assert.equal(error.cause, undefined);
  });
});
