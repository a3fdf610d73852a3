import { isDeepStrictEqual } from 'node:util';
import { quote } from '../annotation/formatting-mistake.ts';
import type { Node } from '../base/kubernetes-objects.ts';
import { changedFields } from '../plan/changed-fields.ts';
import type { Plan, BlockedAction } from '../plan/plan.ts';
import type { NodeAction } from './action.ts';
import type { DesiredNode } from './desired.ts';
import { isNetworkUnavailable } from './network-condition.ts';
import { hasTaint, taintsWith, UNINITIALIZED } from './taints.ts';

/** Returns the actions that bring a Node to its desired state, and the blocked actions. */
export function diffNode(
  node: Node,
  desired: DesiredNode,
  /** Returns whether the source/destination check of an interface is known to be off. */
  isCheckOff: (interfaceId: string) => boolean,
): Plan<NodeAction> {
  const { disableCheckOn, addresses } = desired;
  const isNew = hasTaint(node, UNINITIALIZED);
  const blocked = blockedOf(desired, isNew);
  // A Node without a matching address may run on another instance, and a written provider ID cannot be changed.
  if (addresses.kind === 'unmatched' && !hasProviderId(node)) return { actions: [], blocked };
  const checkChanges: readonly NodeAction[] =
    typeof disableCheckOn === 'object' && !isCheckOff(disableCheckOn.interfaceId)
      ? [{ kind: 'disable-source-dest-check', interfaceId: disableCheckOn.interfaceId }]
      : [];
  const writes = [
    ...statusAction(changedAddresses(node, desired), desired.awaitsRoute && !isNetworkUnavailable(node)),
    ...nodeAction({
      ...writtenOnce(node, desired),
      ...changedLabels(node, desired),
      ...changedTaints(node, desired),
    }),
  ];
  // On a new Node, the write that admits pods comes last.
  return { actions: isNew ? [...checkChanges, ...writes] : [...writes, ...checkChanges], blocked };
}

/** Returns all desired addresses if they are known and differ from the stored addresses. */
function changedAddresses(node: Node, { addresses }: DesiredNode): DesiredAddresses | undefined {
  if (addresses.kind !== 'addresses') return undefined;
  const known = (node.status?.addresses ?? []).map(({ type, address }) => ({ type, address }));
  return isDeepStrictEqual(addresses.addresses, known) ? undefined : addresses.addresses;
}

const statusAction = (addresses: DesiredAddresses | undefined, isUnavailable: boolean): readonly NodeAction[] =>
  addresses === undefined && !isUnavailable
    ? []
    : [
        {
          kind: 'set-status',
          ...(addresses === undefined ? {} : { addresses }),
          ...(isUnavailable ? { networkUnavailable: true } : {}),
        },
      ];

type DesiredAddresses = Extract<DesiredNode['addresses'], { readonly kind: 'addresses' }>['addresses'];
type SetNode = Omit<Extract<NodeAction, { readonly kind: 'set-node' }>, 'kind'>;

const nodeAction = (set: SetNode): readonly NodeAction[] =>
  Object.keys(set).length === 0 ? [] : [{ kind: 'set-node', ...set }];

const hasProviderId = ({ spec }: Node): boolean => (spec?.providerID ?? '') !== '';

const writtenOnce = (node: Node, { providerId }: DesiredNode): SetNode => (hasProviderId(node) ? {} : { providerId });

function changedLabels(node: Node, { labels }: DesiredNode): SetNode {
  const changed = changedFields<Record<string, string>, string>(
    labels,
    node.metadata.labels ?? {},
    Object.keys(labels),
  );
  return Object.keys(changed).length === 0 ? {} : { labels: changed as Readonly<Record<string, string>> };
}

function changedTaints(node: Node, { taints }: DesiredNode): SetNode {
  const desiredTaints = taintsWith(node, taints);
  return isDeepStrictEqual(desiredTaints, node.spec?.taints ?? []) ? {} : { taints: desiredTaints };
}

const blockedOf = (
  { addresses, disableCheckOn }: DesiredNode,
  isNew: boolean,
): readonly BlockedAction<NodeAction>[] => [
  ...(addresses.kind === 'addresses' ? [] : [{ rule: 'AddressNotVerified', reason: addressText(addresses) }]),
  // An unknown interface of a new Node is no problem yet, because the cloud often reports the interface before the next pass.
  ...(disableCheckOn === 'unknown' && !isNew ? [{ rule: 'RouteScope', reason: UNKNOWN_INTERFACE }] : []),
];

const UNKNOWN_INTERFACE =
  'the cloud does not report the network interface of the instance, so pods of this Node may be unreachable from other Nodes; check that the source/destination check of the interface is disabled';

const addressText = (addresses: Exclude<DesiredNode['addresses'], { readonly kind: 'addresses' }>): string =>
  addresses.kind === 'none'
    ? 'the instance has no address yet; if this lasts, check its network interface in the ECS console'
    : `the kubelet has the address ${quote(addresses.nodeIp)}, which the instance does not have; correct the flag --node-ip of the kubelet, or the address of the instance`;
