import type { Options } from '../annotation/catalogue.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import type { AddressType } from './custom-resources.ts';

/** The private ranges of RFC 1918 and RFC 6598. Other addresses may be private too, because a VPC can use other ranges. */
const PRIVATE = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)[\d.]+$/;

const isPrivate = (address: string): boolean => PRIVATE.test(address);

/** Returns the IP addresses in the status of a Service. */
export const addressesIn = ({ status }: Service): readonly string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }) => (ip === '' ? [] : [ip]));

/** Returns `intranet` if a private address in the status or the binding of a Service proves this type; otherwise undefined. */
export const provenAddressType = (service: Service, recorded: string | undefined): AddressType | undefined =>
  [...addressesIn(service), ...(recorded === undefined ? [] : [recorded])].some(isPrivate) ? 'intranet' : undefined;

/** Returns whether the annotations ask to publish the elastic IP addresses instead of the address of the load balancer. */
export const wantsElastic = ({ externalIpType, hostname }: Options): boolean =>
  externalIpType === 'eip' && hostname === undefined;
