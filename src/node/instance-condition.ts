import { quote } from '../annotation/advice.ts';
import type { Node } from '../objects.ts';
import { conditionOf, EXCLUDE_NODE_LABELS, isExcludedNode, kindOf } from './kind.ts';

/** The type of the Node condition that is `True` if the provider ID names no instance of this cloud. */
export const INSTANCE_CONDITION = 'InstanceUnknown';

/** Returns why the instance of a Node cannot be found; `undefined` if it can, or if the Node is excluded. */
export function whyUnknown(node: Node): string | undefined {
  const kind = kindOf(node);
  if (kind.kind !== 'foreign' || isExcludedNode(node)) return undefined;
  return `the provider ID ${quote(kind.providerId)} names no instance of this cloud: register the Node again with <region>.<instance>, or without a provider ID; to exclude the Node instead, add the label ${EXCLUDE_NODE_LABELS[0]}`;
}

/** Returns the condition to write; `undefined` if its status is up to date. The message is constant, as a provider ID is immutable. */
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
