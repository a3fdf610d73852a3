import { CloudError } from '../error.ts';

/** The claims of an OIDC token, with which a pod proves its ServiceAccount to the cloud. */
export interface OidcToken {
  readonly subject: string;
  readonly issuer: string;
  readonly audience: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const unreadable = (): CloudError =>
  new CloudError('AuthenticationFail.NoPermission', 'The OIDC token is not readable.');

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const parts = token.split('.');
  if (parts.length !== 3) throw unreadable();
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'));
    if (typeof claims === 'object' && claims !== null) return claims as Readonly<Record<string, unknown>>;
  } catch {
    throw unreadable();
  }
  throw unreadable();
}

/** Returns the claims of the token in `AssumeRoleWithOIDC`. Does not check the signature, because the simulator does not have the issuer's keys. */
export function readToken(token: string): OidcToken {
  const { sub, iss, aud, exp } = claimsOf(token);
  if (typeof sub !== 'string' || typeof iss !== 'string' || typeof exp !== 'number') throw unreadable();
  return { subject: sub, issuer: iss, audience: [aud].flat().map(String).join(','), expiresAt: exp * 1_000 };
}
