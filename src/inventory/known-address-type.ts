import { BlockList, isIPv4 } from 'node:net';
import type { Service } from '../objects.ts';
import type { AddressType } from './resource.ts';

/** The ranges of RFC 1918 and RFC 6598. A VPC may also use public ranges, so that an address outside proves nothing. */
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8);
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addSubnet('100.64.0.0', 10);

const isPrivate = (address: string): boolean => isIPv4(address) && PRIVATE.check(address);

/** Returns the addresses in the status of a Service. */
export const addressesIn = ({ status }: Service): readonly string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }) => (ip === '' ? [] : [ip]));

/** Returns the type that a load balancer has by its address in the binding or in the status; absent if neither proves the type. */
export const provenAddressType = (service: Service, recorded: string | undefined): AddressType | undefined =>
  [...addressesIn(service), ...(recorded === undefined ? [] : [recorded])].some(isPrivate) ? 'intranet' : undefined;
