/** Returns an unsigned JSON web token in the form that a kubelet projects into pods, for roles by RRSA. */
export const serviceAccountToken = (claims: object): string =>
  [{ alg: 'RS256' }, claims, {}].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

/** Returns seconds since the epoch, as in the claims of a token. */
export const epochSeconds = (fromNow: number): number => Math.floor(Date.now() / 1000) + fromNow;
