/** The HTTP status of each error code that does not have status 400, from the error lists of the API reference. */
const STATUS: Readonly<Record<string, number>> = {
  'InvalidAction.NotFound': 404,
  'InvalidAccessKeyId.NotFound': 404,
  'InvalidAccessKeyId.Inactive': 403,
  UnsupportedHTTPMethod: 403,
  'Forbidden.RAM': 403,
  Forbidden: 403,
  NoPermission: 403,
  ServiceUnavailable: 503,
  'ServiceUnavailable.RegionMaintaining': 503,
  InternalError: 500,
  InternalInvokeError: 500,
  SystemBusy: 449,
  'BackendServer.configuring': 409,
  ServiceIsStopping: 409,
  'InvalidRegionId.NotFound': 404,
  'InvalidLoadBalancerId.NotFound': 404,
  ListenerNotFound: 404,
  'ResourceNotFound.Listener': 404,
  'ResourceNotFound.vServers': 404,
  'InvalidServerId.NotFound': 404,
  CheckedListenerNotFound: 404,
  'ServerCertificateId.NotFound': 404,
  'InvalidRouteTableId.NotFound': 404,
  'InvalidVpcId.NotFound': 404,
  'InvalidVpcID.NotFound': 404,
  'InvalidVSwitchId.NotFound': 404,
  'InvalidAllocationId.NotFound': 404,
  'InvalidInstanceId.NotFound': 404,
  'InvalidEniId.NotFound': 404,
  'InvalidOperation.InvalidEniType': 403,
  'EntityNotExist.Role': 404,
};

/** The rejection of a call, with an error code of the cloud. The server sends the error as the response. */
export class CloudError extends Error {
  override readonly name = 'CloudError';
  readonly code: string;
  readonly status: number;

  /** Creates the error. `status` is only for codes that the cloud sends with several statuses. */
  constructor(code: string, message: string, status = STATUS[code] ?? 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** The error that makes the server send the first half of `sent` and cut the connection. If `sent` is undefined, the server sends nothing. */
export class ConnectionCut extends Error {
  override readonly name = 'ConnectionCut';
  readonly code = 'ECONNRESET';
  readonly sent: string | undefined;

  constructor(sent?: string) {
    super('the connection was closed');
    this.sent = sent;
  }
}

/** An invalid input of the API below `/_simulator/`. The message names the field. The response has status 400. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
