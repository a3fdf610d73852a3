import type { KeyObject } from 'node:crypto';

/** An algorithm that signs certificates, in the terms of Web Crypto. */
export type SigningAlgorithm =
  | { readonly name: 'ECDSA'; readonly namedCurve: string; readonly hash: string }
  | { readonly name: 'RSASSA-PKCS1-v1_5'; readonly hash: string }
  | { readonly name: 'Ed25519' };

const CURVES: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  secp384r1: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  secp521r1: { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
};
const RSA: SigningAlgorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
const ED25519: SigningAlgorithm = { name: 'Ed25519' };

/** Returns the algorithm with which a key signs certificates, or undefined for a key that API servers do not accept. */
export function signingAlgorithm({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm | undefined {
  if (asymmetricKeyType === 'ec') return CURVES[asymmetricKeyDetails?.namedCurve ?? ''];
  if (asymmetricKeyType === 'rsa') return RSA;
  return asymmetricKeyType === 'ed25519' ? ED25519 : undefined;
}
