import { quote } from '../annotation/advice.ts';
import type { Node } from '../objects.ts';
import { conditionOf, EXCLUDE_NODE_LABELS, isExcludedNode, kindOf } from './kind.ts';

/** The condition of a Node that no instance of this cloud is known for, as a problem: `True` is bad. */
export const INSTANCE_CONDITION = 'InstanceUnknown';

/** Returns why no instance can be known for a Node; nothing if the Node is excluded, or one can. */
export function whyUnknown(node: Node): string | undefined {
  const kind = kindOf(node);
  if (kind.kind !== 'foreign' || isExcludedNode(node)) return undefined;
  return `the provider ID ${quote(kind.providerId)} names no instance of this cloud: register the Node again with <region>.<instance>, or without one; leave it to others with the label ${EXCLUDE_NODE_LABELS[0]}`;
}

/** Returns the condition to write; nothing if its status is right. The cause never changes: a provider ID is written once. */
export function instanceCondition(node: Node, nowMs: number): object | undefined {
  const why = whyUnknown(node);
  const status = why === undefined ? 'False' : 'True';
  if ((conditionOf(node, INSTANCE_CONDITION)?.status ?? 'False') === status) return undefined;
  const at = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  return {
    type: INSTANCE_CONDITION,
    status,
    reason: why === undefined ? 'ProviderIDAccepted' : 'ProviderIDUnreadable',
    message: why ?? '',
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  };
}
