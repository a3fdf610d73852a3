import { CATALOGUE } from './catalogue.ts';
import { isUnderOurPrefixes, SOURCE_RANGES, suffixOf } from './keys.ts';
import { nearest } from '../base/spelling-suggestion.ts';
import { fold, KEYS_BY_SUFFIX, spellingOf, type Spelling } from './key-spelling.ts';

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

/** Builds a map with folded suffixes as keys. */
const bySuffix = (rows: readonly (readonly [suffix: string, value: string])[]): ReadonlyMap<string, string> =>
  new Map(rows.map(([suffix, value]) => [fold(suffix), value]));

/** Frequent wrong suffixes, with the suffix that users mean. An empty text means that no annotation fits. */
const MEANT = bySuffix([
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

/** The fix for wrong access control keys. These errors are dangerous, because users believe that access is restricted. */
const ACL =
  'the load balancer accepts every client: create an access control list in the cloud, and set acl-status, acl-id and acl-type';
const ACL_BY_ID = `use acl-status "on", acl-type "white" and acl-id with the id of your access control list, such as ${CATALOGUE.aclId.example}`;
const REDIRECT = `use protocol-port "http:80,https:443", forward-port "80:443" and cert-id with the id of your certificate, such as ${CATALOGUE.certId.example}`;
const NLB = 'for a Network Load Balancer, create a Service with spec.loadBalancerClass alibabacloud.com/nlb';

/** Frequent wrong suffixes that no single annotation replaces, with the fix. */
const INSTEAD = bySuffix([
  ['access-control-list', ACL_BY_ID],
  ['access-control-id', ACL_BY_ID],
  ['redirect-http-to-https', REDIRECT],
  ['security-group-id', ACL],
  ['security-group', ACL],
  ['white-list', ACL],
  ['whitelist', ACL],
  ['ip-white-list', ACL],
  ['source-ranges', ACL],
  ['enable-access-log', 'remove the annotation, and turn on access logs in the cloud'],
  ['zone-mapping', NLB],
  ['loadbalancer-type', NLB],
  ['loadbalancer-class', NLB],
  ['class', NLB],
]);

/** The candidates for a misspelled suffix: the suffixes of known keys, and frequent wrong suffixes. */
const SPELLINGS = [...KEYS_BY_SUFFIX.keys(), ...MEANT.keys(), ...INSTEAD.keys()];

/** The minimum number of letters for each wrong letter, because a suffix with more wrong letters may mean another annotation. */
const SHARE = 4;

/** Returns whether only the controller of network load balancers reads a key. */
export const isNlbOnly = (key: string): boolean => isUnderOurPrefixes(key) && NLB_ONLY.has(suffixOf(key));

/** The prefix of the suffixes that the controller of private DNS zones reads. */
const PRIVATE_ZONE = 'privatezone';

/** Returns whether a key in any spelling belongs to the controller of private DNS zones. */
export function isPrivateZoneKey(key: string): boolean {
  const { hasVendor, hasLoadBalancer, suffix } = spellingOf(key);
  return hasVendor && !hasLoadBalancer && suffix.startsWith(PRIVATE_ZONE);
}

/** The key that limits requests per second on another cloud. Classic load balancers have no such limit. */
const MAX_QPS = 'service.beta.kubernetes.io/dlb-listener-maxqps';
export const isMaxQps = (key: string): boolean => key === MAX_QPS;

/** Matches every key that may be meant for this controller. The check excludes most other keys cheaply. */
const MAYBE_ALIKE = /^service|ali|balancer/i;

/** Returns whether a key without a prefix of this controller was most likely meant for this controller. */
export const isAlike = (key: string): boolean =>
  isMaxQps(key) || (MAYBE_ALIKE.test(key) && !isReadAsItStands(key) && isMeantForUs(spellingOf(key)));

const isReadAsItStands = (key: string): boolean => key === SOURCE_RANGES || isUnderOurPrefixes(key);

/** Returns whether a key was meant for this controller. */
function isMeantForUs({ domain, hasVendor, hasLoadBalancer, suffix }: Spelling): boolean {
  // A key with enough of our prefix can have any suffix.
  if (hasVendor && hasLoadBalancer) return true;
  if (domain === 'ours' && (hasVendor || hasLoadBalancer)) return true;
  // A key with less of our prefix needs a known suffix.
  const lacksPrefix = domain === 'other' || (domain === 'none' && !hasLoadBalancer);
  return !lacksPrefix && KEYS_BY_SUFFIX.has(suffix);
}

/** Returns the catalogue key for a key without vendor and without `loadbalancer`, such as `Backend_Type`. */
const bareKey = ({ hasVendor, hasLoadBalancer, suffix }: Spelling): string | undefined =>
  hasVendor || hasLoadBalancer ? undefined : KEYS_BY_SUFFIX.get(suffix);

/** Returns the fix for an unknown key that no single annotation replaces. The rule `unknown-annotation` and `explain` show the fix. */
export function insteadOf(key: string): string | undefined {
  const spelling = spellingOf(key);
  return bareKey(spelling) === undefined ? INSTEAD.get(spelling.suffix) : undefined;
}

/** Suffixes that only releases of the Alibaba Cloud Controller Manager before 2.0 read, with the current behavior. */
const OBSOLETE: ReadonlyMap<string, string> = new Map([
  ['region', 'the controller creates load balancers in the region of the cluster'],
  ['slb-network-type', 'the controller creates private load balancers in the VPC of the cluster'],
]);

/** Returns the current behavior for a key that no release since 2.0 reads. Returns undefined for any other key. */
export const whyRetired = (key: string): string | undefined => OBSOLETE.get(suffixOf(key));

/** Returns the current key that a user most likely means by an unknown key. Returns undefined if no key is near. */
export function nearestKey(key: string): string | undefined {
  const spelling = spellingOf(key);
  const { suffix } = spelling;
  const bare = bareKey(spelling);
  if (bare !== undefined) return bare;
  // The annotation with the most similar key would have another effect.
  if (INSTEAD.has(suffix) && !MEANT.has(suffix)) return undefined;
  const near = MEANT.has(suffix) ? suffix : nearest(suffix, SPELLINGS, SHARE);
  return near === undefined ? undefined : KEYS_BY_SUFFIX.get(fold(MEANT.get(near) ?? near));
}
