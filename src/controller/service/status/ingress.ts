import type { Options } from '../../../annotation/catalogue.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';

/** An address of a Service, as its status publishes it. */
export interface Ingress {
  readonly ip?: string;
  readonly hostname?: string;
}

/** Returns the ingress to publish: the requested host name, otherwise the addresses. */
export const desiredIngress = ({ hostname }: Options, addresses: readonly string[]): readonly Ingress[] =>
  hostname === undefined ? addresses.map((ip) => ({ ip })) : [{ hostname }];

export const publishedIngress = ({ status }: Service): readonly Ingress[] => status?.loadBalancer?.ingress ?? [];

export const publishedAddresses = (service: Service): readonly string[] =>
  publishedIngress(service).flatMap(({ ip }) => (ip === undefined || ip === '' ? [] : [ip]));

/** Returns whether two lists have equal addresses and host names. Ignores fields that the API server adds (`ipMode`). */
export function sameIngress(left: readonly Ingress[], right: readonly Ingress[]): boolean {
  const text = (ingress: readonly Ingress[]): string =>
    JSON.stringify(ingress.map(({ ip, hostname }) => [ip ?? '', hostname ?? '']));
  return text(left) === text(right);
}
