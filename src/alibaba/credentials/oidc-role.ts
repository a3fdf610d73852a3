import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { messageOf, PortcullisError, type Reason } from '../../base/errors.ts';
import type { CloudOperation } from '../cloud-call-types.ts';
import type { CloudEndpoint } from '../endpoints.ts';
import { redact } from '../redact.ts';
import { callSdk, sdkClient } from '../sdk.ts';
import { translate } from '../error-translation.ts';
import type { Environment } from './environment.ts';
import type { IssuedKey, KeyIssuer } from './key-renewal.ts';

const ROLE = 'ALIBABA_CLOUD_ROLE_ARN';
const PROVIDER = 'ALIBABA_CLOUD_OIDC_PROVIDER_ARN';
const TOKEN_FILE = 'ALIBABA_CLOUD_OIDC_TOKEN_FILE';
const SESSION = 'ALIBABA_CLOUD_ROLE_SESSION_NAME';

/** The RAM role of a Kubernetes service account (RRSA), from environment variables of the pod. */
export interface OidcRole {
  readonly roleArn: string;
  readonly providerArn: string;
  /** The path of the service account token. Each request for a key reads the file again, because the kubelet renews the token. */
  readonly tokenFile: string;
  readonly sessionName: string;
}

/** Returns the role, or undefined if identity provider and token file are unset. Throws `InvalidConfiguration` for other incomplete settings. */
export function oidcRoleIn(environment: Environment): OidcRole | undefined {
  const readVariable = (name: string): string => environment[name]?.trim() ?? '';
  if (readVariable(PROVIDER) === '' && readVariable(TOKEN_FILE) === '') return undefined;
  const lacking = [ROLE, PROVIDER, TOKEN_FILE].filter((name) => readVariable(name) === '');
  if (lacking.length > 0)
    throw new PortcullisError(
      'InvalidConfiguration',
      `the RAM role of the service account (RRSA) lacks ${lacking.join(' and ')}: set all or none of ${ROLE}, ${PROVIDER} and ${TOKEN_FILE}`,
    );
  const sessionName = readVariable(SESSION) === '' ? 'portcullis' : readVariable(SESSION);
  return {
    roleArn: readVariable(ROLE),
    providerArn: readVariable(PROVIDER),
    tokenFile: readVariable(TOKEN_FILE),
    sessionName,
  };
}

const OPERATION: CloudOperation = { product: 'Sts', version: '2015-04-01', action: 'AssumeRoleWithOIDC' };

/** The fields of the STS response that this file uses. Messages must not quote them. */
const AssumedRole = z.object({
  Credentials: z.object({
    AccessKeyId: z.string().min(1),
    AccessKeySecret: z.string().min(1),
    SecurityToken: z.string().min(1),
    Expiration: z.iso.datetime(),
  }),
});

/** Returns an issuer that exchanges the token of the service account for a key of the RAM role, at STS. */
export function oidcRole(
  { roleArn, providerArn, tokenFile, sessionName }: OidcRole,
  { host, protocol }: CloudEndpoint,
  userAgent: string,
): KeyIssuer {
  const client = sdkClient({ endpoint: host, protocol, userAgent });
  return {
    name: `RAM role ${roleArn} of the service account`,
    issue: async () => {
      const token = await tokenIn(tokenFile);
      const form = {
        RoleArn: roleArn,
        OIDCProviderArn: providerArn,
        OIDCToken: token,
        RoleSessionName: sessionName,
      };
      try {
        return keyIn(await callSdk(client, { operation: OPERATION, query: {}, form, isSigned: false }));
      } catch (error) {
        const known = translate(error, OPERATION, (text) => redact(text, [token]));
        const reason = USER_REASONS.has(known.reason) ? 'Unauthorized' : 'Unavailable';
        throw new PortcullisError(reason, `${known.message}; ${ADVICE[reason]}`);
      }
    },
  };
}

/** Error reasons that a user must resolve, which become `Unauthorized`. All other reasons become `Unavailable`. */
const USER_REASONS: ReadonlySet<Reason> = new Set(['Unauthorized', 'Forbidden', 'Rejected', 'NotFound']);
const ADVICE = {
  Unauthorized: `check that ${ROLE} names a role that trusts the identity provider ${PROVIDER} for this service account`,
  Unavailable: 'check the network path to STS, --network and STS_ENDPOINT',
} as const;

async function tokenIn(path: string): Promise<string> {
  try {
    const token = (await readFile(path, 'utf8')).trim();
    if (token !== '') return token;
  } catch (error) {
    throw new PortcullisError(
      'Unauthorized',
      `failed to read the service account token ${path} (${messageOf(error)}): project the token into the pod, or correct ${TOKEN_FILE}`,
    );
  }
  throw new PortcullisError('Unauthorized', `the service account token ${path} is empty: project a token into the pod`);
}

function keyIn(answer: object): IssuedKey {
  const { data } = AssumedRole.safeParse(answer);
  if (data === undefined) throw new PortcullisError('Unavailable', 'the response of STS contains no key');
  const { AccessKeyId: id, AccessKeySecret: secret, SecurityToken: token, Expiration } = data.Credentials;
  return { id, secret, token, expiresAtMs: Date.parse(Expiration) };
}
