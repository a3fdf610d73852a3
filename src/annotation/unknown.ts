import { CATALOGUE, ENTRIES } from './catalogue.ts';
import { GROUP, inOurForm, isUnderOurPrefixes, suffixOf } from './keys.ts';
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
const ACL_BY_ID = `write ${CATALOGUE.aclStatus.key} "on", ${CATALOGUE.aclType.key} "white" and ${CATALOGUE.aclId.key} "${CATALOGUE.aclId.example}", with the id of your access control list`;
const REDIRECT = `write ${CATALOGUE.protocolPort.key} "http:80,https:443", ${CATALOGUE.forwardPort.key} "80:443" and ${CATALOGUE.certId.key} "${CATALOGUE.certId.example}", with the id of your certificate`;
const NLB = 'make a Service with spec.loadBalancerClass alibabacloud.com/nlb if a network load balancer is meant';

/** What people write where no annotation does what they mean, and what to do instead: the nearest key would do another thing. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['access-control-list', ACL_BY_ID],
  ['access-control-id', ACL_BY_ID],
  ['redirect-http-to-https', REDIRECT],
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
/** A fast check that excludes most keys. */
const MAYBE_ALIKE = /balancer[-_]/i;
/** Our prefixes without the vendor. Kubernetes itself reads `load-balancer-source-ranges`. */
const BARE = /^(?:loadbalancer|load-balancer)-(?!source-ranges$)/;
/** A limit of requests a second that another cloud's controller is said to read; classic load balancers have none. */
const MAX_QPS = 'service.beta.kubernetes.io/dlb-listener-maxqps';

/** Returns whether a key has one of our prefixes in another spelling, or without the vendor. */
export const isAlike = (key: string): boolean =>
  key === MAX_QPS || (MAYBE_ALIKE.test(key) && !isUnderOurPrefixes(key) && isOursInForm(inOurForm(key)));

function isOursInForm(key: string): boolean {
  const name = key.slice(key.indexOf('/') + 1);
  if (name.startsWith('ali')) return name.includes(BALANCER);
  if (!BARE.test(name)) return false;
  // A key without a group may belong to any program.
  return key.startsWith(GROUP) || (name === key && KEYS.has(suffixOf(key)));
}

export const isMaxQps = (key: string): boolean => key === MAX_QPS;

/** What does what a key was meant for, where no annotation does. */
export const insteadOf = (key: string): string | undefined => INSTEAD.get(meaningOf(key));

/** Read by releases before 2.0, and by none since; each with what counts instead. */
const OBSOLETE: ReadonlyMap<string, string> = new Map([
  ['region', 'load balancers are made in the region of the cluster whatever it says'],
  ['slb-network-type', 'load balancers with a private address are made in the VPC of the cluster whatever it says'],
]);

/** What counts instead of a key that nobody has read since 2.0; `undefined` for any other key. */
export const obsoleteFor = (key: string): string | undefined => OBSOLETE.get(suffixOf(key));

/** Returns the suffix of a key in our spelling, without the vendor. */
function meaningOf(key: string): string {
  const said = inOurForm(key);
  return isAlike(key) && key !== MAX_QPS ? said.slice(said.lastIndexOf(BALANCER) + BALANCER.length) : suffixOf(said);
}

/** The current key that was most likely meant by a key that nobody reads; `undefined` if none is near. */
export function nearestKey(key: string): string | undefined {
  const suffix = meaningOf(key);
  if (INSTEAD.has(suffix) && !MEANT.has(suffix)) return undefined;
  const spelling = MEANT.has(suffix) ? suffix : nearest(suffix, SPELLINGS, SHARE);
  return spelling === undefined ? undefined : KEYS.get(MEANT.get(spelling) ?? spelling);
}
