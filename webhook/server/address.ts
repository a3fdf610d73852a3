import { networkInterfaces } from 'node:os';

export interface Address {
  /** Empty for every address of the machine. */
  readonly host: string;
  readonly port: number;
}

/** The host to bind: all addresses of both families, where the machine has both. */
export function hostOf({ host }: Address): string {
  if (host !== '') return host;
  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ family }) => family === 'IPv6'),
  );
  return hasIpv6 ? '::' : '0.0.0.0';
}
