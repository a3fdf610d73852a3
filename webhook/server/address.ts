import { networkInterfaces } from 'node:os';

export interface ServerAddress {
  /** Empty for all addresses of the machine. */
  readonly host: string;
  readonly port: number;
}

/** Returns the host to bind: all addresses of both families, if the machine has IPv6. */
export function hostOf({ host }: ServerAddress): string {
  if (host !== '') return host;
  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ family }) => family === 'IPv6'),
  );
  return hasIpv6 ? '::' : '0.0.0.0';
}
