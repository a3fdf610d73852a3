import core from '@alicloud/openapi-core';
import credentialsPackage from '@alicloud/credentials';
import { PortcullisError, messageOf } from '../errors.ts';
import { NoAnswer, Refusal, timeoutOf, type Operation, type Product, type Transport } from './call.ts';
import type { Credentials } from './credentials.ts';
import type { Endpoints } from './endpoints.ts';

const { default: Client, $OpenApiUtil: openApi } = core;
const { default: Credential } = credentialsPackage;
type Sdk = InstanceType<typeof Client>;
type RuntimeOptions = Parameters<Sdk['callApi']>[2];

export interface TransportOptions {
  readonly endpoints: Endpoints;
  readonly regionId: string;
  readonly credentials: Credentials;
  /** `portcullis/0.1.0 ClusterId/c1`; the SDK puts its own before it. */
  readonly userAgent: string;
}

/** The door gives up first; the socket follows a little later. */
const SOCKET_MARGIN_MS = 1_000;

/**
 * Calls the cloud over HTTP by the official core's generic call: RPC style, parameters in the query, signed with ACS3-HMAC-SHA256,
 * never repeated. The SDK takes no signal: an aborted call is turned away from, its socket lives until its own timer.
 */
export function createTransport({ endpoints, regionId, credentials, userAgent }: TransportOptions): Transport {
  const clients = new Map<Product, Sdk>();
  const provider = {
    getProviderName: () => 'portcullis',
    getCredentials: async () => {
      const { id, secret, token } = await credentials.current();
      const providerName = token === undefined ? 'static_ak' : 'static_sts';
      return { accessKeyId: id, accessKeySecret: secret, securityToken: token, providerName };
    },
  };
  const clientOf = (product: Product): Sdk => {
    const { host, protocol } = endpoints(product);
    const credential = new Credential(null, provider);
    const client =
      clients.get(product) ??
      new Client(new openApi.Config({ credential, endpoint: host, protocol, regionId, userAgent }));
    clients.set(product, client);
    return client;
  };
  return async (operation, parameters, signal) => {
    signal.throwIfAborted();
    try {
      const request = new openApi.OpenApiRequest({ query: { ...parameters } });
      const answer = await clientOf(operation.product).callApi(rpc(operation), request, timeouts(operation));
      return bodyOf(answer);
    } catch (error) {
      throw understood(error);
    }
  };
}

const rpc = ({ action, version }: Operation) =>
  new openApi.Params({
    action,
    version,
    protocol: 'HTTPS',
    pathname: '/',
    method: 'POST',
    authType: 'AK',
    style: 'RPC',
    reqBodyType: 'formData',
    bodyType: 'json',
  });

/** The SDK's connect time-out goes on running while it waits for the answer, so both are the same. */
function timeouts(operation: Operation): RuntimeOptions {
  const ms = timeoutOf(operation) + SOCKET_MARGIN_MS;
  // The core reads these two fields and exports no class to make them with.
  const options: unknown = { connectTimeout: ms, readTimeout: ms };
  return options as RuntimeOptions;
}

function bodyOf(answer: Readonly<Record<string, unknown>>): object {
  const { body } = answer;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new NoAnswer('the answer could not be read: it is not a JSON object', true);
  }
  return body;
}

/** Codes of Node's that say that no byte of the request has left. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);
/** The peer is not who it should be; the handshake ended before the request was sent. */
const NOT_TRUSTED = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT)/;

/** The SDK's errors are told apart by their fields: their classes are no promise when a second copy of its base is installed. */
function understood(error: unknown): Error {
  if (error instanceof PortcullisError || error instanceof NoAnswer) return error;
  if (!(error instanceof Error)) return new NoAnswer(String(error), true);
  return refusalIn(error) ?? noAnswerIn(error);
}

function refusalIn(error: SdkError): Refusal | undefined {
  const { code, statusCode, requestId, data, retryAfter } = error;
  if (typeof statusCode !== 'number' || !isCode(code)) return undefined;
  return new Refusal(sentenceOf(data) ?? error.message, {
    code,
    status: statusCode,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    retryAfterMs: typeof retryAfter === 'number' ? retryAfter : undefined,
  });
}

function noAnswerIn(error: SdkError): NoAnswer {
  const { code, statusCode } = error;
  if (error.name === 'SyntaxError' || typeof statusCode === 'number') {
    return new NoAnswer('the answer could not be read: it is not JSON, or not an error of the cloud', true);
  }
  const what = typeof code === 'string' ? code : messageOf(error);
  if (NEVER_SENT.has(what) || NOT_TRUSTED.test(what))
    return new NoAnswer(`the cloud could not be reached (${what})`, false);
  return new NoAnswer(`the connection was lost (${what})`, true);
}

/** What errors of the SDK may carry, by its source; nothing of it is promised. */
type SdkError = Error & Partial<Record<'code' | 'statusCode' | 'requestId' | 'data' | 'retryAfter', unknown>>;

/** A body without a code is reported under the text `undefined`. */
const isCode = (code: unknown): code is string => typeof code === 'string' && code !== '' && code !== 'undefined';

/** The cloud's own sentence, without what the SDK puts round it. */
function sentenceOf(data: unknown): string | undefined {
  const message = typeof data === 'object' && data !== null && 'Message' in data ? data.Message : undefined;
  return typeof message === 'string' && message !== '' ? message : undefined;
}
