import { stringify } from 'yaml';
import type { Credential } from './pki.ts';

/** The credentials of a user: a client certificate or a bearer token. */
export type UserIdentity = Credential | { readonly token: string } | { readonly tokenFile: string };

/** The address of an API server. */
export interface ClusterAddress {
  /** The URL of the API server: `https://host:port`. */
  readonly server: string;
  /** The certificate of the authority in PEM. */
  readonly certificateAuthority: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const userOf = (identity: UserIdentity): object =>
  'certificate' in identity
    ? { 'client-certificate-data': base64(identity.certificate), 'client-key-data': base64(identity.key) }
    : identity;

/** Returns a kubeconfig with one cluster and one user. The kubeconfig names no other file, unless `identity` has a `tokenFile`. */
export function kubeconfig(
  { server, certificateAuthority }: ClusterAddress,
  user: string,
  identity: UserIdentity,
): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'sandbox', cluster: { server, 'certificate-authority-data': base64(certificateAuthority) } }],
    users: [{ name: user, user: userOf(identity) }],
    contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user } }],
    'current-context': 'sandbox',
  });
}
