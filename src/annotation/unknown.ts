import { ENTRIES } from './catalogue.ts';
import { isUnderOurPrefixes, suffixOf } from './keys.ts';
import { nearest } from '../nearest.ts';

/** Suffixes that only the controller of network load balancers reads. */
const NLB_ONLY: ReadonlySet<string> = new Set([
  'zone-maps',
  'security-group-ids',
  'bandwidth-package-id',
  'ipv6-address-type',
  'cross-zone-enabled',
  'cacert-id',
  'cacert',
  'cps',
  'preserve-client-ip',
  'server-group-type',
  'ppv2-pvl-ep-id-enabled',
  'ppv2-pvl-eps-id-enabled',
  'ppv2-pvl-vpc-id-enabled',
  'alpn',
  'alpn-policy',
  'listener-port-range',
  'additional-cert-ids',
]);

/** What the keys of controllers that have nothing to do with load balancers begin with. */
const FOREIGN = /\/(?:alibaba-cloud|alicloud)-private-zone-/;

/** What people write, and the suffix that does what they mean; empty where nothing does. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['health-check-healthy-threshold', 'healthy-threshold'],
  ['health-check-unhealthy-threshold', 'unhealthy-threshold'],
  ['health-check-http-code', 'health-check-httpcode'],
  ['health-check-port', 'health-check-connect-port'],
  ['health-check-path', 'health-check-uri'],
  ['health-check', 'health-check-flag'],
  ['master-zone', 'master-zoneid'],
  ['master-zone-id', 'master-zoneid'],
  ['slave-zone', 'slave-zoneid'],
  ['slave-zone-id', 'slave-zoneid'],
  ['access-control-status', 'acl-status'],
  ['access-control-enable', 'acl-status'],
  ['access-control-type', 'acl-type'],
  ['access-control-list', 'acl-id'],
  ['access-control-id', 'acl-id'],
  ['redirect-http-to-https', 'forward-port'],
  ['certificate-id', 'cert-id'],
  ['session-sticky', 'sticky-session'],
  ['tags', 'additional-resource-tags'],
  ['tls-version', 'tls-cipher-policy'],
  ['eip', 'external-ip-type'],
  ['region', ''],
]);

/** These are the most dangerous: whoever writes one believes that others are kept out. */
const ACL =
  'make an access control list in the cloud and name it by acl-status, acl-id and acl-type, as everybody gets in without one';
const NLB = 'make a Service with spec.loadBalancerClass alibabacloud.com/nlb if a network load balancer is meant';

/** What people write where no annotation does what they mean, and what to do instead: the nearest key would do another thing. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['security-group-id', ACL],
  ['security-group', ACL],
  ['white-list', ACL],
  ['whitelist', ACL],
  ['ip-white-list', ACL],
  ['source-ranges', ACL],
  ['enable-access-log', 'remove it, and switch access logs on in the cloud'],
  ['zone-mapping', NLB],
  ['loadbalancer-type', NLB],
  ['loadbalancer-class', NLB],
  ['class', NLB],
]);

const KEYS = new Map(ENTRIES.map(([, entry]) => [entry.suffix, entry.key]));
/** What a misspelt suffix is compared with: those of our keys, and what people write for them. */
const SPELLINGS = [...KEYS.keys(), ...MEANT.keys(), ...INSTEAD.keys()];

/** Suffixes share words; with more than a quarter of the letters wrong, another annotation is as likely. */
const SHARE = 4;

/** Read by the controller of network load balancers alone. */
export const isNlbOnly = (key: string): boolean => isUnderOurPrefixes(key) && NLB_ONLY.has(suffixOf(key));

/** Under one of our prefixes, and yet read by a controller that is not about load balancers. */
export const isForeign = (key: string): boolean => FOREIGN.test(key);

const BALANCER = 'balancer-';
/** A limit of requests a second that another cloud's controller is said to read; classic load balancers have none. */
const MAX_QPS = 'service.beta.kubernetes.io/dlb-listener-maxqps';

/**
 * Under none of our prefixes, and yet most likely meant for us: `aliyun-loadbalancer-id`, `alibabacloud-loadbalancer-id`, or our own
 * name in another group.
 */
export const isAlike = (key: string): boolean =>
  (key.includes(BALANCER) && key.startsWith('ali', key.indexOf('/') + 1) && !isUnderOurPrefixes(key)) ||
  key === MAX_QPS;

export const isMaxQps = (key: string): boolean => key === MAX_QPS;

/** What does what a key was meant for, where no annotation does. */
export const insteadOf = (key: string): string | undefined => INSTEAD.get(suffixOf(key).toLowerCase());

/** Read by releases before 2.0, and by none since; each with what counts instead. */
const OBSOLETE: ReadonlyMap<string, string> = new Map([
  ['region', 'load balancers are made in the region of the cluster whatever it says'],
  ['slb-network-type', 'load balancers with a private address are made in the VPC of the cluster whatever it says'],
]);

/** What counts instead of a key that nobody has read since 2.0; `undefined` for any other key. */
export const obsoleteFor = (key: string): string | undefined => OBSOLETE.get(suffixOf(key));

/** What a key says beside who it is for. */
const meaningOf = (key: string): string =>
  isAlike(key) && key !== MAX_QPS ? key.slice(key.lastIndexOf(BALANCER) + BALANCER.length) : suffixOf(key);

/** The current key that was most likely meant by a key that nobody reads; `undefined` if none is near. */
export function nearestKey(key: string): string | undefined {
  const suffix = meaningOf(key).toLowerCase();
  if (INSTEAD.has(suffix)) return undefined;
  const spelling = MEANT.has(suffix) ? suffix : nearest(suffix, SPELLINGS, SHARE);
  return spelling === undefined ? undefined : KEYS.get(MEANT.get(spelling) ?? spelling);
}
