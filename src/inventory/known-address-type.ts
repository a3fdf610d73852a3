import type { Service } from '../base/objects.ts';
import type { AddressType } from './resource.ts';

/** The ranges of RFC 1918 and RFC 6598. A VPC may also use public ranges, so an address outside these ranges proves nothing. */
const PRIVATE = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)[\d.]+$/;

const isPrivate = (address: string): boolean => PRIVATE.test(address);

/** Returns the addresses in the status of a Service. */
export const addressesIn = ({ status }: Service): readonly string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }) => (ip === '' ? [] : [ip]));

/** Returns the address type that the address in the binding or status proves; undefined if neither proves a type. */
export const provenAddressType = (service: Service, recorded: string | undefined): AddressType | undefined =>
  [...addressesIn(service), ...(recorded === undefined ? [] : [recorded])].some(isPrivate) ? 'intranet' : undefined;
