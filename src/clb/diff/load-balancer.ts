import { NO_CLUSTER_ID } from '../../base/default-cluster-id.ts';
import { changedFields } from '../../plan/changed-fields.ts';
import { concatPlans, NOTHING, type Plan, type BlockedAction } from '../../plan/plan.ts';
import type { Action } from '../model/action.ts';
import type { LoadBalancer, LoadBalancerAttributes, Tags } from '../model/load-balancer.ts';
import { DEFAULT_BANDWIDTH } from '../model/paid-bandwidth.ts';
import { CLUSTER_TAG, isTaggedOnReuse, isReservedTag, OWNER_TAG, ownerTags, REUSED_TAG } from '../model/naming.ts';
import type { Present } from '../model/desired-and-observed-state.ts';

/** The attributes that the cloud sets only at creation, each with its annotation. */
const IMMUTABLE: readonly (readonly [keyof LoadBalancerAttributes & keyof LoadBalancer, string])[] = [
  ['addressType', 'address-type'],
  ['ipVersion', 'ip-version'],
  ['address', 'ip'],
  ['networkType', 'network-type'],
  ['resourceGroupId', 'resource-group-id'],
  ['masterZoneId', 'master-zoneid'],
  ['slaveZoneId', 'slave-zoneid'],
];

const ZONES: readonly (keyof LoadBalancerAttributes)[] = ['masterZoneId', 'slaveZoneId'];

/**
 * Returns the zone annotations that have no effect, because the load balancer has no primary and secondary zone. The event `EnsuredLoadBalancer`
 * names these annotations.
 */
export const zonesWithoutEffect = (
  { attributes }: Pick<Present, 'attributes'>,
  observed: LoadBalancer,
): readonly string[] =>
  IMMUTABLE.flatMap(([field, suffix]) =>
    ZONES.includes(field) && attributes[field] !== undefined && observed[field] === undefined ? [suffix] : [],
  );

/** Returns the requested attributes that the cloud can no longer change, as blocked entries. */
const immutable = ({ attributes }: Present, observed: LoadBalancer): readonly BlockedAction<Action>[] =>
  IMMUTABLE.flatMap(([field, suffix]) => {
    const wanted = attributes[field];
    const has = observed[field] ?? (field === 'ipVersion' ? 'ipv4' : undefined);
    if (wanted === undefined || wanted === has) return [];
    if (has === undefined && ZONES.includes(field)) return [];
    // A load balancer on the internet has no network type of its own.
    if (field === 'networkType' && (has === undefined || observed.addressType === 'internet')) return [];
    const reason = `${suffix} is ${String(wanted)}, but load balancer ${observed.id} has ${has ?? 'none'}, which the cloud cannot change; restore the previous value, or delete and create the Service again`;
    return [{ rule: 'Immutable', reason }];
  });

/** Returns blocked changes of the charge type: the cloud changes PayBySpec to PayByCLCU, but not back. */
function unsupportedChange(
  { attributes }: Present,
  { id, instanceChargeType, addressType }: LoadBalancer,
): readonly BlockedAction<Action>[] {
  if (instanceChargeType !== 'PayByCLCU') return [];
  const why = `but load balancer ${id} has PayByCLCU, which the cloud cannot change back; restore the previous value, or delete and create the Service again`;
  if (attributes.instanceChargeType === 'PayBySpec')
    return [{ rule: 'UnsupportedChange', reason: `instance-charge-type is PayBySpec, ${why}` }];
  if (attributes.internetChargeType !== 'paybybandwidth' || addressType !== 'internet') return [];
  return [{ rule: 'UnsupportedChange', reason: `charge-type is paybybandwidth, which requires PayBySpec, ${why}` }];
}

function charging(attributes: LoadBalancerAttributes, observed: LoadBalancer): readonly Action[] {
  const { instanceChargeType, spec } = attributes;
  if (instanceChargeType === 'PayByCLCU' && observed.instanceChargeType !== 'PayByCLCU')
    return [{ kind: 'set-instance-charge-type', type: instanceChargeType }];
  if (observed.instanceChargeType === 'PayByCLCU') return [];
  const effective = instanceChargeType ?? observed.instanceChargeType ?? 'PayBySpec';
  return effective === 'PayBySpec' && spec !== undefined && spec !== observed.spec ? [{ kind: 'set-spec', spec }] : [];
}

/** Returns the change of charge type and bandwidth. Only an internet load balancer that is charged by bandwidth has a bandwidth. */
function internet(attributes: LoadBalancerAttributes, observed: LoadBalancer): readonly Action[] {
  if (observed.addressType !== 'internet') return [];
  const { internetChargeType } = attributes;
  // A PayByCLCU load balancer is always charged by traffic and rejects a charge type.
  if ([attributes, observed].some(({ instanceChargeType }) => instanceChargeType === 'PayByCLCU')) return [];
  const isRecharged = internetChargeType !== undefined && internetChargeType !== observed.internetChargeType;
  // The bandwidth of a new load balancer may be unknown, so the default is assumed, as in quotas.
  const kept = isRecharged ? (observed.bandwidth ?? DEFAULT_BANDWIDTH) : observed.bandwidth;
  const bandwidth = internetChargeType === 'paybybandwidth' ? (attributes.bandwidth ?? kept) : undefined;
  const change = {
    ...(isRecharged ? { chargeType: internetChargeType } : {}),
    ...(bandwidth === undefined || bandwidth === observed.bandwidth ? {} : { bandwidth }),
  };
  return Object.keys(change).length === 0 ? [] : [{ kind: 'set-internet-spec', change }];
}

function nameAndProtection({ attributes, creation, use }: Present, observed: LoadBalancer): readonly Action[] {
  const { name, deleteProtection, modificationProtection } = changedFields(attributes, observed, [
    'name',
    'deleteProtection',
    'modificationProtection',
  ]);
  const { modificationProtectionReason } = creation;
  const isOurs = use.kind === 'owned' && modificationProtection === 'ConsoleProtection';
  const reason = isOurs && modificationProtectionReason !== undefined ? { reason: modificationProtectionReason } : {};
  return [
    ...(name === undefined ? [] : [{ kind: 'rename', name } as const]),
    ...(deleteProtection === undefined ? [] : [{ kind: 'set-delete-protection', state: deleteProtection } as const]),
    ...(modificationProtection === undefined
      ? []
      : [{ kind: 'set-modification-protection', state: modificationProtection, ...reason } as const]),
  ];
}

const missing = (wanted: Tags, tags: Tags): Tags =>
  Object.fromEntries(Object.entries(wanted).filter(([key]) => tags[key] === undefined));

/** Returns the missing reuse tag or owner tags. Replaces no existing owner tag, except a cluster tag with the placeholder `clusterid`. */
function ownershipTags({ owner, use }: Present, tags: Tags): Tags {
  if (use.kind === 'reused') {
    return isTaggedOnReuse(Object.keys(tags)) ? { [REUSED_TAG]: 'true' } : {};
  }
  return {
    ...(tags[OWNER_TAG] === undefined ? missing(ownerTags(owner), tags) : {}),
    ...(owner.adoptsPlaceholderNames === true && tags[CLUSTER_TAG] === NO_CLUSTER_ID
      ? { [CLUSTER_TAG]: owner.clusterId }
      : {}),
  };
}

/** Returns the tag changes. Adds and overwrites tags of the Service. Removes other tags only if `isTagsComplete`. */
function tagging(desired: Present, observed: LoadBalancer): readonly Action[] {
  const wanted = Object.entries(desired.tags);
  const changed = wanted.filter(([key, value]) => observed.tags[key] !== value);
  const set = { ...ownershipTags(desired, observed.tags), ...Object.fromEntries(changed) };
  const obsoleteKeys = desired.isTagsComplete
    ? Object.keys(observed.tags).filter((key) => !isReservedTag(key) && desired.tags[key] === undefined)
    : [];
  return [
    ...(Object.keys(set).length === 0 ? [] : [{ kind: 'tag', tags: set } as const]),
    ...(obsoleteKeys.length === 0 ? [] : [{ kind: 'untag', keys: obsoleteKeys } as const]),
  ];
}

const creation = (desired: Present): Plan<Action> => ({
  actions: [
    {
      kind: 'create-load-balancer',
      attributes: desired.creation,
      tags: { ...ownerTags(desired.owner), ...desired.tags },
    },
  ],
  blocked: [],
});

/** Returns the plan that creates the load balancer or changes its attributes and tags. */
export function diffLoadBalancer(desired: Present, observed: LoadBalancer | undefined): Plan<Action> {
  if (observed === undefined) return desired.use.kind === 'owned' ? creation(desired) : NOTHING;
  const { attributes } = desired;
  const changes = [
    nameAndProtection(desired, observed),
    charging(attributes, observed),
    internet(attributes, observed),
  ];
  return concatPlans([
    { actions: [], blocked: [...immutable(desired, observed), ...unsupportedChange(desired, observed)] },
    { actions: [...changes.flat(), ...tagging(desired, observed)], blocked: [] },
  ]);
}
