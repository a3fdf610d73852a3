import { valueOf } from '../read-result.ts';
import { orphansShown } from '../../inventory/orphan.ts';
import type { StatusFacts } from '../facts.ts';
import { counted } from '../../base/counted.ts';
import { unreadLine, type StatusLine } from '../line.ts';

/**
 * Returns the line `orphans` of `portcullis status`: cloud resources whose Service no longer exists, and bindings that are orphaned or recorded by
 * another cluster.
 */
export function orphansLine({ loadBalancers, bindings, system }: StatusFacts): StatusLine {
  const name = 'orphans';
  const unread = unreadLine(name, [loadBalancers, bindings, system]);
  if (unread !== undefined) return unread;
  const clusterUid = valueOf(system)?.metadata.uid;
  const recorded = (valueOf(bindings) ?? []).filter(
    ({ spec }) => spec.orphaned === true || (clusterUid !== undefined && spec.clusterUID !== clusterUid),
  );
  const orphans = [
    ...(valueOf(loadBalancers) ?? []).flatMap(orphansShown),
    ...recorded.map(
      ({ metadata, spec }) => `binding ${metadata.name} (${spec.service.namespace}/${spec.service.name})`,
    ),
  ];
  return {
    ...{ name, level: orphans.length > 0 ? 'notice' : 'ok' },
    text: orphans.length === 0 ? 'none' : counted(orphans.length, 'orphan'),
    details: orphans,
    ...(orphans.length > 0 ? { remedy: 'portcullis plan --orphans reads the cloud and lists all of them' } : {}),
    data: { orphans },
  };
}
