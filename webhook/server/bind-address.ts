import { networkInterfaces } from 'node:os';

/** The address on which the admission server or the probe server listens. */
export interface ServerAddress {
  /** An IP address of this machine; empty for all addresses. */
  readonly host: string;
  readonly port: number;
}

/** Returns the host to listen on. An empty host becomes `::`, which serves IPv4 and IPv6, or `0.0.0.0` on a machine without IPv6. */
export function hostOf({ host }: ServerAddress): string {
  if (host !== '') return host;
  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ family }) => family === 'IPv6'),
  );
  return hasIpv6 ? '::' : '0.0.0.0';
}
