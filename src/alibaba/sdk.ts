import core from '@alicloud/openapi-core';
import { PortcullisError, messageOf } from '../base/errors.ts';
import {
  NoAnswer,
  CloudRejection,
  timeoutOf,
  type CloudOperation,
  type Parameters as CallParameters,
} from './cloud-call-types.ts';

const { default: Client, $OpenApiUtil: openApi } = core;
export type SdkClient = InstanceType<typeof Client>;
type RuntimeOptions = Parameters<SdkClient['callApi']>[2];
type SdkConfig = ConstructorParameters<typeof openApi.Config>[0];

/** The milliseconds by which the timeout of the socket exceeds the timeout of the call, so that the caller stops waiting first. */
const SOCKET_MARGIN_MS = 1_000;

/** Creates a client of the official SDK core for one endpoint, for the transport and for OIDC credentials. */
export const sdkClient = (config: SdkConfig): SdkClient => new Client(new openApi.Config(config));

export interface SdkCall {
  readonly operation: CloudOperation;
  readonly query: CallParameters;
  /** The parameters in the body of the call, for secrets, because the logs of proxies can contain the URL, but not the body. */
  readonly form?: CallParameters;
  /** Whether the access key of the client signs the call. */
  readonly isSigned: boolean;
}

/**
 * Sends a call without retries and returns the response body. Rejects with a `CloudRejection`, a `NoAnswer`, or a `PortcullisError` about
 * credentials.
 */
export async function callSdk(client: SdkClient, { operation, query, form, isSigned }: SdkCall): Promise<object> {
  try {
    const request = new openApi.OpenApiRequest({ query: { ...query }, ...(form === undefined ? {} : { body: form }) });
    return bodyOf(await client.callApi(rpc(operation, isSigned), request, timeouts(operation)));
  } catch (error) {
    throw convertedError(error);
  }
}

const rpc = ({ action, version }: CloudOperation, isSigned: boolean) =>
  new openApi.Params({
    action,
    version,
    protocol: 'HTTPS',
    pathname: '/',
    method: 'POST',
    authType: isSigned ? 'AK' : 'Anonymous',
    style: 'RPC',
    reqBodyType: 'formData',
    bodyType: 'json',
  });
/** Returns the timeouts of the SDK. Its connect timeout includes the wait for the response, so both values are equal. */
function timeouts(operation: CloudOperation): RuntimeOptions {
  const ms = timeoutOf(operation) + SOCKET_MARGIN_MS;
  // The SDK reads these two fields, but exports no class for them.
  const options: unknown = { connectTimeout: ms, readTimeout: ms };
  return options as RuntimeOptions;
}

function bodyOf(answer: Readonly<Record<string, unknown>>): object {
  const { body } = answer;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new NoAnswer('the response is not a JSON object', true);
  }
  return body;
}

/** Node.js error codes that prove that no request was sent. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);
/** Node.js error codes of unknown host names, which can mean a wrong region, because a region that does not exist has no host. */
const UNKNOWN_HOST = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const NAME_HINT = '; check the region, --network and the DNS configuration of this machine';
/** TLS error codes. The handshake failed, so no request was sent. */
const NOT_TRUSTED = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT)/;

/** Converts an SDK error. Reads fields instead of error classes, because a second copy of the SDK has other classes. */
function convertedError(error: unknown): Error {
  if (error instanceof PortcullisError || error instanceof NoAnswer) return error;
  if (!(error instanceof Error)) return new NoAnswer(String(error), true);
  return rejectionIn(error) ?? noAnswerIn(error);
}

function rejectionIn(error: SdkError): CloudRejection | undefined {
  const { code, statusCode, requestId, data, retryAfter } = error;
  if (typeof statusCode !== 'number' || !isCode(code)) return undefined;
  return new CloudRejection(cloudMessageIn(data) ?? error.message, {
    code,
    status: statusCode,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    retryAfterMs: typeof retryAfter === 'number' ? retryAfter : undefined,
  });
}

function noAnswerIn(error: SdkError): NoAnswer {
  const { code, statusCode, hostname } = error;
  if (error.name === 'SyntaxError' || typeof statusCode === 'number') {
    return new NoAnswer('the response is neither JSON nor an error of the cloud', true);
  }
  const what = typeof code === 'string' ? code : messageOf(error);
  if (typeof hostname === 'string' && UNKNOWN_HOST.has(what))
    return new NoAnswer(`failed to reach the cloud: host ${hostname} not found (${what})${NAME_HINT}`, false);
  if (NEVER_SENT.has(what) || NOT_TRUSTED.test(what)) return new NoAnswer(`failed to reach the cloud (${what})`, false);
  return new NoAnswer(`the connection was lost (${what})`, true);
}

/** The fields of SDK errors. Each value is `unknown`, because the SDK does not document the fields. */
type SdkError = Error &
  Partial<Record<'code' | 'statusCode' | 'requestId' | 'data' | 'retryAfter' | 'hostname', unknown>>;

/** Returns whether the value is an error code, and not the text `undefined`, with which the SDK reports a missing code. */
const isCode = (code: unknown): code is string => typeof code === 'string' && code !== '' && code !== 'undefined';

/** Returns the error message of the cloud, without the text that the SDK adds. */
function cloudMessageIn(data: unknown): string | undefined {
  const message = typeof data === 'object' && data !== null && 'Message' in data ? data.Message : undefined;
  return typeof message === 'string' && message !== '' ? message : undefined;
}
