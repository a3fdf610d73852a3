import { parseAnnotations } from '../annotation/parse.ts';
import type { GroupClaim } from '../clb/group-owner.ts';
import type { Service } from '../objects.ts';

/** Returns the claims of the Services that name a user-managed server group; those that are being deleted add nothing. */
export const groupClaims = (services: readonly Service[], group: string): readonly GroupClaim[] =>
  services.flatMap(({ metadata }) => {
    const { vgroupPort = [] } = parseAnnotations(metadata.annotations).options;
    const isNamed = vgroupPort.some(({ serverGroupId }) => serverGroupId === group);
    if (!isNamed || metadata.deletionTimestamp !== undefined) return [];
    return [{ namespace: metadata.namespace, since: metadata.creationTimestamp ?? '', uid: metadata.uid }];
  });
