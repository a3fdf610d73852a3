import { CATALOGUE, type OptionName } from '../annotation/catalogue.ts';
import { annotationField } from '../annotation/field.ts';
import { isTaggedOnReuse, listenerName, REUSED_TAG, serverGroupName, type Owner } from '../clb/model/naming.ts';
import { isPublished } from '../clb/model/service-status.ts';
import type { Facts } from '../inventory/facts.ts';
import type { ServicePort } from '../base/objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { unlessStale } from './engine/age.ts';
import { backendTypeOf } from './engine/backend-type.ts';
import { freeReuseOf } from './engine/reuse.ts';
import { together } from './engine/together.ts';

const NONE: readonly Violation[] = [];

export const limits: Rule = {
  name: 'limits',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A load balancer has at most 20 tags, of which the controller needs one or two, and a reused one has those of its owner; and where it is paid for by bandwidth, its listeners together have no more than it has. Pointed out are names that the cloud may not take: that of the load balancer, and those of server groups and listeners, which the cluster, the namespace and the port are part of; and more domains than a listener usually has.',
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-name: "9-shop: the front end"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-name: shop-front-end
`,
  },
  check: (subject, facts) => {
    const named = together(nameViolations(subject), tagViolations(subject, facts));
    const asked = together(domainViolations(subject), bandwidthViolations(subject));
    return together(together(named, asked), expandedViolations(subject, facts));
  },
};

const fieldOf = ({ parsed }: ServiceSubject, option: OptionName): string =>
  annotationField(parsed.keys.get(option) ?? CATALOGUE[option].key);

/** The name format that all pages of the vendor allow; some pages allow more. */
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9._-]{0,79}$/;

function nameViolations(subject: ServiceSubject): readonly Violation[] {
  const { name } = subject.parsed.options;
  if (name === undefined || PLAIN_NAME.test(name)) return NONE;
  return [
    {
      field: fieldOf(subject, 'name'),
      found: name,
      allowed: 'up to 80 letters, digits, dots, dashes and underscores after a letter; more is not taken everywhere',
      fix: 'write it so, unless you know that the region takes it',
      advice: true,
    },
  ];
}

/** The most tags that a load balancer can have. */
const MOST_TAGS = 20;

function tagViolations(subject: ServiceSubject, facts: Facts): readonly Violation[] {
  const { additionalResourceTags, id } = subject.parsed.options;
  if (additionalResourceTags === undefined) return NONE;
  const tags = Object.keys(additionalResourceTags);
  const said = { field: fieldOf(subject, 'additionalResourceTags'), found: `${tags.length} tags` };
  const has = freeReuseOf(subject, facts)?.status.tags?.map(({ key }) => key);
  if (has === undefined) {
    // The tags of owner and cluster, or the tag of a reused load balancer.
    const own = id === undefined ? 2 : 1;
    const room = MOST_TAGS - own;
    if (tags.length <= room) return NONE;
    const allowed = `at most ${room}, because a load balancer takes ${MOST_TAGS} and the controller needs ${own}`;
    return [{ ...said, allowed, fix: `remove ${tags.length - room} of them` }];
  }
  const others = [...has, ...(isTaggedOnReuse(has) ? [REUSED_TAG] : [])].filter((key) => !tags.includes(key)).length;
  const room = MOST_TAGS - others;
  if (tags.length <= room) return NONE;
  const most = room > 0 ? `at most ${room}` : 'none';
  const allowed = `${most}, because a load balancer takes ${MOST_TAGS}, and this one has or gets ${others} others`;
  const fix = `remove ${tags.length - room} of them, or of the others in the cloud`;
  return [{ ...said, ...unlessStale(facts, { allowed, fix }), ...(id === undefined ? {} : { on: id }) }];
}

/** The usual quota of domains besides that of `cert-id`; the vendor can raise it to ten per account. */
const MOST_DOMAINS = 3;

function domainViolations(subject: ServiceSubject): readonly Violation[] {
  const { domainExtensions: domains } = subject.parsed.options;
  if (domains === undefined || domains.length <= MOST_DOMAINS) return NONE;
  return [
    {
      field: fieldOf(subject, 'domainExtensions'),
      found: `${domains.length} domains`,
      allowed: `${MOST_DOMAINS} by the usual quota of a listener`,
      fix: 'remove some, unless the quota of the account has been raised',
      advice: true,
    },
  ];
}

/**
 * Returns the violation if listeners exceed the bandwidth. Only the owner knows the charge of a reused load balancer, and private ones pay for no
 * bandwidth.
 */
function bandwidthViolations(subject: ServiceSubject): readonly Violation[] {
  const { listenerBandwidth: each, bandwidth, chargeType, addressType, id, forwardPort = [] } = subject.parsed.options;
  const isShared = chargeType === 'paybybandwidth' && addressType !== 'intranet' && id === undefined;
  if (each === undefined || bandwidth === undefined || !isShared) return NONE;
  const ports = subject.object.spec?.ports ?? [];
  // A redirecting listener carries almost no traffic and has no limit.
  const redirected = new Set(forwardPort.map(({ from }) => from));
  const count = ports.filter(({ port }) => !redirected.has(port)).length;
  const most = Math.floor(bandwidth / Math.max(1, count));
  if (each <= most) return NONE;
  return [
    {
      field: fieldOf(subject, 'listenerBandwidth'),
      found: String(each),
      allowed: `at most ${most}, because ${count} listeners share the ${bandwidth} Mbit/s of ${CATALOGUE.bandwidth.key}`,
      fix: 'lower it, raise that one, or remove this one',
    },
  ];
}

/** Documented limits in characters: server groups (and descriptions of backends), and listeners. */
const LONGEST_GROUP = 80;
const LONGEST_LISTENER = 256;
/** The characters of `k8s/` and the slashes. */
const AROUND = 7;
/** The most characters of a named target port. */
const LONGEST_PORT = 15;
/** Replaces a node port that is not known yet; no port is longer. */
const ANY_PORT = 65_535;

/** Returns the owner if long names still matter. Names are set at creation, so neither load balancer nor stored object may exist. */
function ownerToBe({ object, before }: ServiceSubject, facts: Facts): Owner | undefined {
  // Undefined until the API server generates a name from `generateName`.
  const { uid, name = '', namespace = '' } = object.metadata as Partial<Owner> & Pick<Owner, 'uid'>;
  const clusterId = facts.cluster()?.clusterId ?? '';
  const isShort = name.length + namespace.length + clusterId.length + AROUND + LONGEST_PORT <= LONGEST_GROUP;
  if (isShort || before !== undefined || name === '' || clusterId === '' || isPublished(object)) return undefined;
  return { uid, name, namespace, clusterId };
}

function expandedViolations(subject: ServiceSubject, facts: Facts): readonly Violation[] {
  const owner = ownerToBe(subject, facts);
  if (owner === undefined) return NONE;
  const longest = longestOf(owner, subject.object.spec?.ports ?? [], backendTypeOf(subject, facts) === 'eni');
  if (longest === undefined) return NONE;
  const [text, limit, what] = longest;
  const tooMany = text.length - limit;
  return [
    {
      field: 'metadata.name',
      found: owner.name,
      allowed: `a name with which "${text}", the name of ${what}, has ${limit} characters and not ${text.length}`,
      fix: `shorten the name of the Service or of its namespace by ${tooMany}, unless you know that the region takes it`,
      advice: true,
    },
  ];
}

type Named = readonly [text: string, limit: number, what: string];

/** Returns the name that exceeds its limit most; undefined if all names are within their limits. */
function longestOf(owner: Owner, ports: readonly ServicePort[], isEni: boolean): Named | undefined {
  const names = ports.flatMap(({ port, targetPort, nodePort = 0 }): Named[] => [
    [serverGroupName(owner, isEni ? (targetPort ?? port) : nodePort || ANY_PORT), LONGEST_GROUP, 'a server group'],
    [listenerName(owner, port), LONGEST_LISTENER, 'a listener'],
  ]);
  return names
    .filter(([text, limit]) => text.length > limit)
    .sort((left, right) => right[0].length - right[1] - (left[0].length - left[1]))[0];
}
