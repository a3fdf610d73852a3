import { FRESH_FOR_MS } from '../../inventory/facts-from-caches.ts';
import type { CloudInventoryStatus } from '../../inventory/custom-resources.ts';
import { valueOf } from '../read-result.ts';
import type { StatusFacts } from '../facts.ts';
import { durationText, someOf, unreadLine, type StatusLine } from '../line.ts';

/** Returns the facts about the cluster in the CloudInventory `default`, which the controller writes after each read of the region. */
export const inventoryStatus = ({ inventories }: StatusFacts): CloudInventoryStatus | undefined =>
  valueOf(inventories)?.find(({ metadata }) => metadata.name === 'default')?.status;

/** Returns the line `inventory` of `portcullis status`: its age, and the region, VPC and cluster id of the controller. */
export function inventoryLine(facts: StatusFacts): StatusLine {
  const name = 'inventory';
  const unread = unreadLine(name, [facts.inventories]);
  if (unread !== undefined) return unread;
  const remedy = `kubectl -n ${facts.namespace} logs -l app.kubernetes.io/component=controller --tail=50`;
  const status = inventoryStatus(facts);
  if (status?.observedAt === undefined)
    return { name, level: 'wrong', text: 'no controller has read the region yet', remedy };
  const { observedAt, regionId, vpcId, clusterId, backendType } = status;
  const ageMs = facts.now - Date.parse(observedAt);
  const isFresh = ageMs <= FRESH_FOR_MS;
  return {
    ...{ name, level: isFresh ? 'ok' : 'wrong' },
    text: `read ${durationText(ageMs)} ago; region ${regionId}, VPC ${vpcId}, cluster ${clusterId}, backends ${backendType}`,
    ...(isFresh ? {} : { remedy }),
    data: { observedAt, regionId, vpcId, clusterId, backendType },
  };
}

/** Returns the line `throttled` of `portcullis status`: the cloud APIs that throttled calls lately. Returns undefined if no API throttled calls. */
export function throttledLine(facts: StatusFacts): StatusLine | undefined {
  const apis = inventoryStatus(facts)?.throttledApis ?? [];
  if (apis.length === 0) return undefined;
  return {
    ...{ name: 'throttled', level: 'notice', text: `the cloud throttles ${someOf(apis)}` },
    remedy: 'wait; if throttling lasts, find other programs that use the account',
    data: { apis },
  };
}
