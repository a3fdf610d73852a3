import { isExcludedNode, isVirtualNode } from '../../node/kind.ts';
import type { Node } from '../../base/kubernetes-objects.ts';

const SCHEME = '://';
const OUR_SCHEME = 'alicloud://';
/** The label of LingJun machines, which are no ECS instances and have ids of another format. */
const LINGJUN_LABEL = 'alibabacloud.com/lingjun-worker';
const LINGJUN_ID = /^e\d{2}-/;

export const providerIdOf = ({ spec }: Node): string => spec?.providerID ?? '';

function isOutsideEcs(providerId: string): boolean {
  return (providerId.includes(SCHEME) && !providerId.startsWith(OUR_SCHEME)) || LINGJUN_ID.test(providerId);
}

/** Returns whether the node controller manages a Node. If not, most rules for Nodes skip the Node. */
export const isManagedNode = (node: Node): boolean =>
  !isExcludedNode(node) &&
  !isVirtualNode(node) &&
  node.metadata.labels?.[LINGJUN_LABEL] !== 'true' &&
  !isOutsideEcs(providerIdOf(node));
