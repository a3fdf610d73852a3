import type { Options } from '../../../annotation/catalogue.ts';
import type { Service } from '../../../base/objects.ts';

/** Where a Service is to be reached, as its status says it. */
export interface Ingress {
  readonly ip?: string;
  readonly hostname?: string;
}

/** The host name that the Service asks to be known by, else these addresses. */
export const desiredIngress = ({ hostname }: Options, addresses: readonly string[]): readonly Ingress[] =>
  hostname === undefined ? addresses.map((ip) => ({ ip })) : [{ hostname }];

export const publishedIngress = ({ status }: Service): readonly Ingress[] => status?.loadBalancer?.ingress ?? [];

export const publishedAddresses = (service: Service): readonly string[] =>
  publishedIngress(service).flatMap(({ ip }) => (ip === undefined || ip === '' ? [] : [ip]));

/** Compares what we say; what the API server adds to it (`ipMode`) does not count. */
export function sameIngress(left: readonly Ingress[], right: readonly Ingress[]): boolean {
  const text = (ingress: readonly Ingress[]): string =>
    JSON.stringify(ingress.map(({ ip, hostname }) => [ip ?? '', hostname ?? '']));
  return text(left) === text(right);
}
