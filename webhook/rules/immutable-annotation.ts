import { CATALOGUE, ENTRIES, type OptionName } from '../../src/annotation/catalogue.ts';
import { defaultOf } from '../../src/annotation/defaults.ts';
import { annotationField } from '../../src/annotation/field.ts';
import type { Facts } from '../../src/inventory/facts.ts';
import type { ClassicLoadBalancerStatus } from '../../src/inventory/resource.ts';
import type { Fault, Rule, ServiceSubject } from './rule.ts';
import { asSeen, unlessStale } from './engine/age.ts';
import { asFarAsTold, isCarriedOut } from './engine/carried-out.ts';
import { asSureAs, presenceOf, type Presence } from './engine/presence.ts';

const NONE: readonly Fault[] = [];

type Before = NonNullable<ServiceSubject['before']>;

const FIXED: readonly OptionName[] = ENTRIES.filter(([, { mutability }]) =>
  mutability.kind.startsWith('create-only'),
).map(([option]) => option);

/** What the inventory knows of a load balancer, by the option that asked for it. A new load balancer shows its group with the next pass. */
const KNOWN: Readonly<Partial<Record<OptionName, (status: ClassicLoadBalancerStatus) => string | undefined>>> = {
  addressType: ({ addressType }) => addressType,
  ipVersion: ({ ipVersion }) => ipVersion,
  resourceGroupId: ({ resourceGroupId }) => (resourceGroupId === '' ? undefined : resourceGroupId),
  ip: ({ address }) => address,
};

/** People may move a load balancer to another resource group; all else stays as it was made. */
const MOVABLE: OptionName = 'resourceGroupId';

export const immutableAnnotation: Rule = {
  name: 'immutable-annotation',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  judgesChangesOnly: true,
  doc: 'What a load balancer is created with and can never be given later does not change once the Service has one: the controller would fail on the difference for ever.',
  since: '0.1.0',
  examples: {
    before: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type: intranet
`,
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type: internet
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type: intranet
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-name: "web"
`,
  },
  check: (subject, facts) => {
    const { before } = subject;
    const presence = presenceOf(subject, facts);
    if (before === undefined || presence === 'none') return NONE;
    const change = { subject, before, facts, presence };
    return FIXED.flatMap((option) =>
      asksNothingNew(option, change) || isCompared(option, subject, facts) ? NONE : changeOf(option, change),
    );
  },
};

/** Of a Service that may have a load balancer. */
interface Change {
  readonly subject: ServiceSubject;
  readonly before: Before;
  readonly facts: Facts;
  readonly presence: Presence;
}

function changeOf(option: OptionName, { subject, before, facts, presence }: Change): readonly Fault[] {
  const { parsed } = subject;
  const wanted = parsed.options[option];
  const entry = CATALOGUE[option];
  const known = actual(option, subject, facts);
  const has = known ?? toldBefore(option, subject, before);
  if (has === wanted) return NONE;
  const isUnchecked = entry.mutability.kind === 'create-only-unchecked';
  const undo = isCarriedOut(before) ? 'undo the change' : 'write that';
  const fault = {
    field: annotationField(parsed.keys.get(option) ?? entry.key),
    found: textOf(wanted),
    allowed: keeps(has),
    fix: isUnchecked
      ? 'undo the change, which has no effect, or make a new Service'
      : `${undo}, or make a second Service with it, move traffic over, then delete this one`,
  };
  if (has === undefined || isUnchecked) return [{ ...asFarAsTold(before, fault), advice: true }];
  if (presence !== 'served') return [asSureAs(presence, facts, fault)];
  return [known === undefined ? fault : asKnown(option, facts, fault)];
}

/** What the Service tells that its load balancer was made with. */
const toldBefore = (option: OptionName, subject: ServiceSubject, before: Before): unknown =>
  isCarriedOut(before) ? (before.parsed.options[option] ?? requestedDefaultOf(option, subject)) : undefined;

/**
 * Whether nothing is asked for, or the same as before: what stood so is not refused because it is taken back. But where what stood so was
 * carried out by nobody, it counts what the inventory knows, as far as nobody can have changed that.
 */
function asksNothingNew(option: OptionName, { subject, before, facts }: Change): boolean {
  const wanted = subject.parsed.options[option];
  if (wanted === undefined) return true;
  if (wanted !== before.parsed.options[option]) return false;
  return isCarriedOut(before) || option === MOVABLE || actual(option, subject, facts) === undefined;
}

/** What the inventory knows, with its age. */
const asKnown = (option: OptionName, facts: Facts, fault: Fault): Fault =>
  option === MOVABLE ? unlessStale(facts, fault) : asSeen(facts, fault);

/** Of a load balancer that is reused, other rules compare what the inventory knows, on creation as well. */
const isCompared = (option: OptionName, { parsed }: ServiceSubject, facts: Facts): boolean =>
  KNOWN[option] !== undefined && parsed.options.id !== undefined && facts.loadBalancer(parsed.options.id) !== undefined;

const keeps = (value: unknown): string =>
  value === undefined
    ? 'what the load balancer was created with, which cannot be changed'
    : `${textOf(value)}, which the load balancer was created with`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What the Service's own load balancer has, where the inventory knows it. */
function actual(option: OptionName, { parsed, before }: ServiceSubject, facts: Facts): string | undefined {
  const isOwn = parsed.options.id === undefined && before !== undefined;
  const status = isOwn ? facts.madeFor(before.object) : undefined;
  return status === undefined ? undefined : KNOWN[option]?.(status);
}

/** What the controller asked for when the Service said nothing; of a load balancer that people made, it asked for nothing. */
const requestedDefaultOf = (option: OptionName, { parsed }: ServiceSubject): unknown =>
  parsed.options.id === undefined ? defaultOf(option) : undefined;
