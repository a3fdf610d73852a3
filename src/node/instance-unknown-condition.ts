import { quote } from '../annotation/formatting-mistake.ts';
import type { Node } from '../base/kubernetes-objects.ts';
import { conditionOf, EXCLUDE_NODE_LABELS, isExcludedNode, kindOf } from './kind.ts';

/** The type of the condition that reports a Node whose instance is unknown. `True` means a problem. */
export const INSTANCE_CONDITION = 'InstanceUnknown';

interface State {
  readonly status: 'True' | 'False';
  readonly reason: 'ProviderIDUnreadable' | 'ProviderIDAccepted' | 'NodeExcluded' | 'InstanceNotRequired';
  readonly message: string;
}

const EXCLUDED: State = {
  status: 'False',
  reason: 'NodeExcluded',
  message: `the Node has the label ${EXCLUDE_NODE_LABELS.join(' or ')}, so the controller looks up no instance`,
};

const NOT_REQUIRED: State = {
  status: 'False',
  reason: 'InstanceNotRequired',
  message: 'the labels of the Node declare another kind of machine, so the controller looks up no instance',
};

const ACCEPTED: State = { status: 'False', reason: 'ProviderIDAccepted', message: '' };

const unreadable = (providerId: string): State => ({
  status: 'True',
  reason: 'ProviderIDUnreadable',
  message: `the provider ID ${quote(providerId)} names no instance of this cloud; register the Node again with the provider ID <region>.<instance> or without a provider ID, or exclude the Node with the label ${EXCLUDE_NODE_LABELS[0]}`,
});

function stateOf(node: Node): State {
  if (isExcludedNode(node)) return EXCLUDED;
  const kind = kindOf(node);
  switch (kind.kind) {
    case 'foreign':
      return unreadable(kind.providerId);
    case 'virtual':
    case 'lingjun':
    case 'unmanaged':
      return NOT_REQUIRED;
    case 'instance':
    case 'unidentified':
      return ACCEPTED;
  }
}

/** Returns the reason why the instance of a Node is unknown, which is an unreadable provider ID. Undefined for any other Node. */
export function whyUnknown(node: Node): string | undefined {
  const { status, message } = stateOf(node);
  return status === 'True' ? message : undefined;
}

/**
 * Returns the condition `InstanceUnknown` to write in a reconcile. Undefined if the stored condition is right, or if the Node never had a problem.
 */
export function instanceCondition(node: Node, nowMs: number): object | undefined {
  const state = stateOf(node);
  const stored = conditionOf(node, INSTANCE_CONDITION);
  const isSame = stored?.status === state.status;
  if (isSame ? stored.reason === state.reason : stored === undefined && state.status === 'False') return undefined;
  const at = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const since = isSame ? stored.lastTransitionTime : at;
  return { type: INSTANCE_CONDITION, ...state, lastHeartbeatTime: at, lastTransitionTime: since ?? at };
}
