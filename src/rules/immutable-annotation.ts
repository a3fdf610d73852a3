import { CATALOGUE, ENTRIES, type OptionName } from '../annotation/catalogue.ts';
import { defaultOf } from '../annotation/default-lookup.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import type { Facts } from '../inventory/facts.ts';
import { provenAddressType } from '../inventory/published-addresses.ts';
import type { ClassicLoadBalancerStatus } from '../inventory/custom-resources.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { unlessStale } from './engine/stale-facts.ts';
import { warnUnlessReconciled, isReconciled } from './engine/unproven-immutable-value.ts';
import { isUnreadable } from './engine/service-listeners.ts';
import { adaptToPhase, provisioningPhaseOf, type ProvisioningPhase } from './engine/provisioning-phase.ts';
import { wantsLoadBalancer } from './engine/subject.ts';

const NONE: readonly Violation[] = [];

type Before = NonNullable<ServiceSubject['before']>;

/** The options that only the creation of a load balancer sets. */
const FIXED: readonly OptionName[] = ENTRIES.filter(([, { mutability }]) =>
  mutability.kind.startsWith('create-only'),
).map(([option]) => option);

/** The inventory value of each option. An empty resource group is unknown, because a new load balancer gets its group in the next inventory pass. */
const KNOWN: Readonly<Partial<Record<OptionName, (status: ClassicLoadBalancerStatus) => string | undefined>>> = {
  addressType: ({ addressType }) => addressType,
  ipVersion: ({ ipVersion }) => ipVersion,
  resourceGroupId: ({ resourceGroupId }) => (resourceGroupId === '' ? undefined : resourceGroupId),
  ip: ({ address }) => address,
};

/** The option whose value users can change in the cloud, by a move of the load balancer to another resource group. */
const MOVABLE: OptionName = 'resourceGroupId';
const ADDRESS_TYPE: OptionName = 'addressType';

/** Without this rule, a Service could request a value that its load balancer never gets. */
export const immutableAnnotation: Rule = {
  name: 'immutable-annotation',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  checksChangesOnly: true,
  doc: 'Attributes that are set at the creation of a load balancer do not change later. The rule warns if address-type is removed from a Service with a private load balancer, because the load balancer stays private. If neither the inventory nor a private address in the binding or the status shows the type, a change of address-type only warns.',
  since: '0.1.0',
  examples: {
    cloud: {
      description: 'lb-1 was created for the Service, and is private',
      loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', addressType: 'intranet' } },
    },
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
    const phase = provisioningPhaseOf(subject, facts);
    if (before === undefined || phase === 'none') return NONE;
    const change = { subject, before, facts, phase };
    return FIXED.flatMap((option) =>
      requestsNothingNew(option, change) || isCompared(option, subject, facts) ? NONE : changeOf(option, change),
    );
  },
};

/** The change of a Service that may have a load balancer. */
interface Change {
  readonly subject: ServiceSubject;
  readonly before: Before;
  readonly facts: Facts;
  readonly phase: ProvisioningPhase;
}

/** The value of an option at the creation of the load balancer. */
interface InitialValue {
  /** Undefined if the value is unknown. */
  readonly value: unknown;
  /** True if the inventory shows the value. */
  readonly isKnown: boolean;
  /** True if only the annotation shows the type of the published address, and proves nothing, because users may have changed it without a webhook. */
  readonly isDoubtful: boolean;
}

/** Returns the value at creation: from the inventory, else from the binding or the status, else from the stored annotations. */
function initialValueOf(option: OptionName, { subject, before, facts, phase }: Change): InitialValue {
  const known = inventoryValueOf(option, subject, facts);
  const proven = known ?? provenBy(option, before, facts);
  return {
    value: proven ?? annotatedBefore(option, subject, before),
    isKnown: known !== undefined,
    isDoubtful: option === ADDRESS_TYPE && phase === 'served' && proven === undefined,
  };
}

function changeOf(option: OptionName, change: Change): readonly Violation[] {
  const { subject, before, facts, phase } = change;
  const { parsed } = subject;
  const requested = parsed.options[option];
  const wanted = requested ?? defaultOf(option);
  const entry = CATALOGUE[option];
  const { value, isKnown, isDoubtful } = initialValueOf(option, change);
  if (value === wanted) return NONE;
  const isUnchecked = entry.mutability.kind === 'create-only-unchecked';
  const violation = {
    field: annotationField(parsed.keys.get(option) ?? entry.key),
    reason: 'Invalid' as const,
    value: requested === undefined ? '' : textOf(requested),
    detail: immutableDetail(isDoubtful ? undefined : value),
    remedy: isDoubtful ? unlessHas(wanted) : remedyFor(requested, isUnchecked, before),
  };
  const isAdvice = value === undefined || isDoubtful || isUnchecked || requested === undefined;
  if (isAdvice) return [{ ...warnUnlessReconciled(before, violation), advice: true }];
  if (phase !== 'served') return [adaptToPhase(phase, facts, violation)];
  return [isKnown && option === MOVABLE ? unlessStale(facts, violation) : violation];
}

const unlessHas = (wanted: unknown): string => `undo the change unless the load balancer is ${textOf(wanted)}`;

function remedyFor(requested: unknown, isUnchecked: boolean, before: Before): string {
  if (requested === undefined)
    return 'set the annotation again: without it, the Service requests a public load balancer';
  if (isUnchecked) return 'undo the change, which has no effect, or create a new Service';
  const undo = isReconciled(before) ? 'undo the change' : 'use that value';
  return `${undo}, or create a second Service with this value, move the traffic, and delete this Service`;
}

/** Returns the value that the binding or the status of a Service with an owned load balancer proves. */
const provenBy = (option: OptionName, { object, parsed }: Before, facts: Facts): unknown =>
  option === ADDRESS_TYPE && parsed.options.id === undefined
    ? provenAddressType(object, facts.boundTo(object)?.address)
    : undefined;

/** Returns the value at creation according to the stored annotations. Returns undefined if the controller does not sync the stored Service. */
const annotatedBefore = (option: OptionName, subject: ServiceSubject, before: Before): unknown =>
  isReconciled(before) ? (before.parsed.options[option] ?? requestedDefaultOf(option, subject)) : undefined;

/** Returns whether `address-type` is removed. If so, the Service requests a public load balancer, but keeps its present load balancer. */
const isRemoved = (option: OptionName, { object, parsed }: ServiceSubject, before: Before): boolean =>
  option === ADDRESS_TYPE &&
  before.parsed.options[option] !== undefined &&
  !isUnreadable(parsed, option) &&
  wantsLoadBalancer(object);

/** Returns whether a value is unset or unchanged. */
function requestsNothingNew(option: OptionName, { subject, before, facts }: Change): boolean {
  const wanted = subject.parsed.options[option];
  // A user can undo a change by removing the annotation.
  if (wanted === undefined) return !isRemoved(option, subject, before);
  if (wanted !== before.parsed.options[option]) return false;
  // Without a sync of the stored Service, an unchanged value can differ from the inventory.
  return isReconciled(before) || option === MOVABLE || inventoryValueOf(option, subject, facts) === undefined;
}

/** Returns whether a rule for reused load balancers compares the option with the inventory. */
const isCompared = (option: OptionName, { parsed }: ServiceSubject, facts: Facts): boolean =>
  KNOWN[option] !== undefined && parsed.options.id !== undefined && facts.loadBalancer(parsed.options.id) !== undefined;

const immutableDetail = (value: unknown): string =>
  value === undefined
    ? 'field is immutable: the load balancer keeps the value that it was created with'
    : `field is immutable: the load balancer was created with ${textOf(value)}`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Returns the inventory value of an owned load balancer. Returns undefined if the value is unknown. */
function inventoryValueOf(option: OptionName, { parsed, before }: ServiceSubject, facts: Facts): string | undefined {
  const isOwn = parsed.options.id === undefined && before !== undefined;
  const status = isOwn ? facts.ownedBy(before.object) : undefined;
  return status === undefined ? undefined : KNOWN[option]?.(status);
}

/** Returns the value that the controller requests for an unset annotation. Returns undefined for a user-managed load balancer. */
const requestedDefaultOf = (option: OptionName, { parsed }: ServiceSubject): unknown =>
  parsed.options.id === undefined ? defaultOf(option) : undefined;
