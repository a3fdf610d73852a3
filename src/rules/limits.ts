import { CATALOGUE, type OptionName } from '../annotation/catalogue.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import { isTaggedOnReuse, listenerName, REUSED_TAG, serverGroupName, type Owner } from '../clb/model/naming.ts';
import { isPublished } from '../clb/model/provisioning-evidence.ts';
import type { Facts } from '../inventory/facts.ts';
import type { ServicePort } from '../base/kubernetes-objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { unlessStale } from './engine/stale-facts.ts';
import { backendTypeOf } from './engine/backend-type.ts';
import { freeReuseOf } from './engine/reused-load-balancer.ts';
import { concatenate } from './engine/concatenate.ts';

const NONE: readonly Violation[] = [];

/** Denies values that certainly exceed a limit of the cloud. Warns about limits that differ between regions or accounts. */
export const limits: Rule = {
  name: 'limits',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A load balancer has at most 20 tags. The controller needs one or two of them, and a reused load balancer has further tags. If the load balancer is billed by bandwidth, its listeners together have at most that bandwidth. The rule warns about names of load balancers, server groups and listeners that the cloud may reject, and about more domains than a listener usually has.',
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
    const named = concatenate(nameViolations(subject), tagViolations(subject, facts));
    const requested = concatenate(domainViolations(subject), bandwidthViolations(subject));
    return concatenate(concatenate(named, requested), expandedViolations(subject, facts));
  },
};

const fieldOf = ({ parsed }: ServiceSubject, option: OptionName): string =>
  annotationField(parsed.keys.get(option) ?? CATALOGUE[option].key);

/** The name format that all documentation pages of Alibaba Cloud allow. Some pages allow more. */
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9._-]{0,79}$/;

function nameViolations(subject: ServiceSubject): readonly Violation[] {
  const { name } = subject.parsed.options;
  if (name === undefined || PLAIN_NAME.test(name)) return NONE;
  return [
    {
      field: fieldOf(subject, 'name'),
      reason: 'Invalid',
      value: name,
      detail:
        'should be a letter and up to 79 letters, digits, dots, dashes and underscores: some regions reject other names',
      advice: true,
    },
  ];
}

/** The maximum number of tags of a load balancer. */
const MOST_TAGS = 20;

function tagViolations(subject: ServiceSubject, facts: Facts): readonly Violation[] {
  const { additionalResourceTags, id } = subject.parsed.options;
  if (additionalResourceTags === undefined) return NONE;
  const tags = Object.keys(additionalResourceTags);
  const base = {
    field: fieldOf(subject, 'additionalResourceTags'),
    reason: 'TooMany' as const,
    value: tags.length,
  };
  const has = freeReuseOf(subject, facts)?.status.tags?.map(({ key }) => key);
  if (has === undefined) {
    // The controller sets two tags on an owned load balancer, for owner and cluster, and one tag on a reused load balancer.
    const own = id === undefined ? 2 : 1;
    const room = MOST_TAGS - own;
    if (tags.length <= room) return NONE;
    return [
      {
        ...base,
        detail: `must have at most ${room} items (${own} of the ${MOST_TAGS} tags ${own === 1 ? 'is' : 'are'} the controller's)`,
      },
    ];
  }
  const others = [...has, ...(isTaggedOnReuse(has) ? [REUSED_TAG] : [])].filter((key) => !tags.includes(key)).length;
  const room = MOST_TAGS - others;
  if (tags.length <= room) return NONE;
  const detail = `must have at most ${Math.max(0, room)} items (the load balancer has or gets ${others} other tags, of at most ${MOST_TAGS})`;
  return [{ ...base, ...unlessStale(facts, { detail }), ...(id === undefined ? {} : { on: id }) }];
}

/** The usual quota of domains in addition to the domain of `cert-id`. Alibaba Cloud can raise the quota to ten. */
const MOST_DOMAINS = 3;

function domainViolations(subject: ServiceSubject): readonly Violation[] {
  const { domainExtensions: domains } = subject.parsed.options;
  if (domains === undefined || domains.length <= MOST_DOMAINS) return NONE;
  return [
    {
      field: fieldOf(subject, 'domainExtensions'),
      reason: 'TooMany',
      value: domains.length,
      detail: `should have at most ${MOST_DOMAINS} items, the usual quota of a listener`,
      remedy: 'remove entries, or raise the quota of the account',
      advice: true,
    },
  ];
}

/** Returns the violation if all listeners together exceed the bandwidth of the load balancer. */
function bandwidthViolations(subject: ServiceSubject): readonly Violation[] {
  const { listenerBandwidth: each, bandwidth, chargeType, addressType, id, forwardPort = [] } = subject.parsed.options;
  // Only the billing of owned public load balancers is known.
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
      reason: 'Invalid',
      value: String(each),
      detail: `must be at most ${most}, because ${count} listeners share the bandwidth of ${bandwidth} Mbit/s`,
    },
  ];
}

/** Documented limits of the names of server groups and listeners, in characters. */
const LONGEST_GROUP = 80;
const LONGEST_LISTENER = 256;
/** The length of the fixed parts of a name: `k8s/` and the slashes. */
const AFFIX_LENGTH = 7;
/** The maximum length of a named target port. */
const LONGEST_PORT = 15;
/** A substitute for a node port that is not allocated yet. No port has more digits. */
const ANY_PORT = 65_535;

/** Returns the parts of generated names for a new Service. Returns undefined if the Service is stored, a part is unknown, or names are short. */
function ownerToBe({ object, before }: ServiceSubject, facts: Facts): Owner | undefined {
  // The name is undefined until the API server generates a name from `generateName`.
  const { uid, name = '', namespace = '' } = object.metadata as Partial<Owner> & Pick<Owner, 'uid'>;
  const clusterId = facts.cluster()?.clusterId ?? '';
  const isShort = name.length + namespace.length + clusterId.length + AFFIX_LENGTH + LONGEST_PORT <= LONGEST_GROUP;
  if (isShort || before !== undefined || name === '' || clusterId === '' || isPublished(object)) return undefined;
  return { uid, name, namespace, clusterId };
}

/** Returns a warning if a name that the controller generates for a server group or a listener is too long. */
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
      reason: 'Invalid',
      value: owner.name,
      detail: `the name of ${what}, "${text}", has ${text.length} characters: some regions reject more than ${limit}`,
      remedy: `shorten the name of the Service or of its namespace by ${tooMany} characters`,
      advice: true,
    },
  ];
}

type Named = readonly [text: string, limit: number, what: string];

/** Returns the name that exceeds its limit most. Returns undefined if all names are within their limits. */
function longestOf(owner: Owner, ports: readonly ServicePort[], isEni: boolean): Named | undefined {
  const names = ports.flatMap(({ port, targetPort, nodePort = 0 }): Named[] => [
    [serverGroupName(owner, isEni ? (targetPort ?? port) : nodePort || ANY_PORT), LONGEST_GROUP, 'a server group'],
    [listenerName(owner, port), LONGEST_LISTENER, 'a listener'],
  ]);
  return names
    .filter(([text, limit]) => text.length > limit)
    .sort((left, right) => right[0].length - right[1] - (left[0].length - left[1]))[0];
}
