import type { Caller, KeyRing } from './credentials.ts';
import { CloudError } from './error.ts';
import { ACS3, contentHash, signAcs3, signRpc } from './signature.ts';

/** A received HTTP request, in the form that the check of its signature needs. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly form: readonly (readonly [string, string])[];
  readonly body: Uint8Array | string;
}

/** The operation that a request names. */
export interface Envelope {
  readonly action: string;
  readonly version: string;
  /** The parameters of query and form, including common parameters such as `Action`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The inputs of an `Authority`. */
export interface AuthorityOptions {
  readonly keys: KeyRing;
  /** Returns the wall clock for the check of timestamps, in milliseconds. */
  readonly wall: () => number;
  /** Returns the time of the simulated cloud, which expires temporary keys. */
  readonly now: () => number;
  /** The caller of operations that need no signature. */
  readonly anonymous: Caller;
}

const SKEW_MS = 15 * 60_000;
const MANDATORY_HEADERS = [
  'host',
  'x-acs-action',
  'x-acs-content-sha256',
  'x-acs-date',
  'x-acs-signature-nonce',
  'x-acs-version',
];
/** The operations without a signature. `AssumeRoleWithOIDC` has a token instead, because its caller does not have an access key yet. */
const UNSIGNED_ACTIONS = new Set(['AssumeRoleWithOIDC']);

const missing = (name: string): CloudError =>
  new CloudError('MissingParameter', `The common parameter ${name} is missing.`);

function envelopeOf(request: WireRequest): Envelope {
  const parameters = Object.fromEntries([...request.query, ...request.form]);
  const action = request.headers['x-acs-action'] ?? parameters['Action'];
  const version = request.headers['x-acs-version'] ?? parameters['Version'];
  return { action: action ?? '', version: version ?? '', parameters };
}

/** Parses `ACS3-HMAC-SHA256 Credential=…,SignedHeaders=…,Signature=…`. */
function readAuthorization(header: string): { id: string; signedHeaders: readonly string[]; signature: string } {
  const fields = new Map(
    header
      .slice(ACS3.length)
      .split(',')
      .map((field): [string, string] => {
        const [name = '', ...rest] = field.trim().split('=');
        return [name, rest.join('=')];
      }),
  );
  const [id, signed, signature] = [fields.get('Credential'), fields.get('SignedHeaders'), fields.get('Signature')];
  if (!header.startsWith(`${ACS3} `) || !id || !signed || !signature) {
    throw new CloudError(
      'IncompleteSignature',
      'The Authorization header lacks Credential, SignedHeaders or Signature.',
    );
  }
  return { id, signedHeaders: signed.split(';'), signature };
}

const mismatch = (stringToSign: string): CloudError =>
  // Older client libraries parse the text after the colon and compare the text with their own string to sign.
  new CloudError(
    'SignatureDoesNotMatch',
    `Specified signature is not matched with our calculation. server string to sign is:${stringToSign}`,
  );

/** Returns the names of the received headers that the signature must cover. */
const signable = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.keys(headers)
    .filter((name) => name.startsWith('x-acs-') || name === 'host' || name === 'content-type')
    .sort();

/** The check of signatures, timestamps and nonces, in both schemes of the cloud (ACS3 and RPC). The server runs the check before each call. */
export class Authority {
  readonly #options: AuthorityOptions;
  readonly #nonces = new Map<string, number>();

  constructor(options: AuthorityOptions) {
    this.#options = options;
  }

  /** Returns the operation that a request names, without a check of the signature. */
  envelope(request: WireRequest): Envelope {
    return envelopeOf(request);
  }

  /** Returns the caller. Throws the `CloudError` of the response if the request is not authentic. */
  authenticate(request: WireRequest): Caller {
    const { action, version, parameters } = envelopeOf(request);
    if (action === '') throw missing('Action');
    if (version === '') throw missing('Version');
    const authorization = request.headers['authorization'];
    if (authorization?.startsWith('ACS3-') === true) return this.#acs3(request, authorization);
    if (
      parameters['Signature'] === undefined &&
      parameters['AccessKeyId'] === undefined &&
      UNSIGNED_ACTIONS.has(action)
    )
      return this.#options.anonymous;
    return this.#rpc(request, parameters);
  }

  #acs3(request: WireRequest, authorization: string): Caller {
    const { headers } = request;
    const { id, signedHeaders, signature } = readAuthorization(authorization);
    const lacking = MANDATORY_HEADERS.filter((name) => !signedHeaders.includes(name) || headers[name] === undefined);
    const unsigned = signable(headers).filter((name) => !signedHeaders.includes(name));
    if (lacking.length > 0 || unsigned.length > 0) {
      throw new CloudError(
        'IncompleteSignature',
        `The signature does not cover ${[...lacking, ...unsigned].join(', ')}.`,
      );
    }
    const key = this.#options.keys.use(id, headers['x-acs-security-token'], this.#options.now());
    const expected = signAcs3({ ...request, signedHeaders }, key.secret);
    if (expected.signature !== signature || headers['x-acs-content-sha256'] !== contentHash(request.body)) {
      throw mismatch(expected.stringToSign);
    }
    this.#checkFreshness(id, headers['x-acs-date'] ?? '', headers['x-acs-signature-nonce'] ?? '');
    return key.caller;
  }

  #rpc(request: WireRequest, parameters: Readonly<Record<string, string>>): Caller {
    const get = (name: string): string => {
      const value = parameters[name];
      if (value === undefined || value === '') throw missing(name);
      return value;
    };
    const [id, signature, nonce] = [get('AccessKeyId'), get('Signature'), get('SignatureNonce')];
    if (get('SignatureMethod') !== 'HMAC-SHA1' || get('SignatureVersion') !== '1.0') {
      throw new CloudError(
        'IncompleteSignature',
        'SignatureMethod must be HMAC-SHA1, and SignatureVersion must be 1.0.',
      );
    }
    const key = this.#options.keys.use(id, parameters['SecurityToken'], this.#options.now());
    const expected = signRpc(request.method, [...request.query, ...request.form], key.secret);
    if (expected.signature !== signature) throw mismatch(expected.stringToSign);
    this.#checkFreshness(id, get('Timestamp'), nonce);
    return key.caller;
  }

  #checkFreshness(id: string, stamp: string, nonce: string): void {
    const wall = this.#options.wall();
    const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(stamp) ? Date.parse(stamp) : NaN;
    if (Number.isNaN(time)) {
      throw new CloudError(
        'InvalidTimeStamp.Format',
        `The time "${stamp.slice(0, 40)}" does not have the form YYYY-MM-DDThh:mm:ssZ.`,
      );
    }
    if (Math.abs(wall - time) > SKEW_MS) {
      throw new CloudError('InvalidTimeStamp.Expired', 'The time of the request is more than 15 minutes off.');
    }
    const seen = `${id}/${nonce}`;
    if (this.#nonces.has(seen)) {
      throw new CloudError('SignatureNonceUsed', 'The SignatureNonce was used before with this access key.');
    }
    this.#forget(wall);
    this.#nonces.set(seen, wall);
  }

  /** Removes nonces whose requests the check of timestamps would reject anyway. */
  #forget(wall: number): void {
    for (const [nonce, at] of this.#nonces) {
      // All later nonces are newer, because the map is in order of arrival.
      if (Math.abs(wall - at) <= 2 * SKEW_MS) return;
      this.#nonces.delete(nonce);
    }
  }
}
