/** A JSON web token of the form that a kubelet projects; its signature is none. */
export const serviceAccountToken = (claims: object): string =>
  [{ alg: 'RS256' }, claims, {}].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

/** Seconds since the epoch, as claims of a token have them. */
export const epochSeconds = (fromNow: number): number => Math.floor(Date.now() / 1000) + fromNow;
