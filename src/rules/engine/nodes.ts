import { isExcludedNode, isVirtualNode } from '../../node/kind.ts';
import type { Node } from '../../base/objects.ts';

const SCHEME = '://';
const OUR_SCHEME = 'alicloud://';
/** The label of LingJun machines. Their ids have their own format. */
const LINGJUN_LABEL = 'alibabacloud.com/lingjun-worker';
const LINGJUN_ID = /^e\d{2}-/;

export const providerIdOf = ({ spec }: Node): string => spec?.providerID ?? '';

function isForeign(providerId: string): boolean {
  return (providerId.includes(SCHEME) && !providerId.startsWith(OUR_SCHEME)) || LINGJUN_ID.test(providerId);
}

/** Returns whether the node controller manages the Node: it is or may become an ECS instance, and no label excludes it. */
export const isManagedNode = (node: Node): boolean =>
  !isExcludedNode(node) &&
  !isVirtualNode(node) &&
  node.metadata.labels?.[LINGJUN_LABEL] !== 'true' &&
  !isForeign(providerIdOf(node));
