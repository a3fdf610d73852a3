import { matchBy } from '../../plan/match.ts';
import type { Action } from '../model/action.ts';
import type { DomainCertificate, ListenerKey, ObservedListener } from '../model/listener.ts';

/** Returns the actions for the additional domains of an HTTPS listener: creations, changes of certificates, and deletions. */
export function diffDomains(
  listener: ListenerKey,
  wanted: readonly DomainCertificate[] | undefined,
  has: ObservedListener['domainExtensions'] = [],
): readonly Action[] {
  if (wanted === undefined) return [];
  const domainOf = ({ domain }: DomainCertificate): string => domain;
  const { create, keep, remove } = matchBy(wanted, has, { desired: domainOf, observed: domainOf });
  return [
    ...create.map((one) => ({ kind: 'create-domain-extension', listener, ...one }) as const),
    ...keep
      .filter(({ desired, observed }) => desired.certificateId !== observed.certificateId)
      .map(({ desired, observed: { id } }) => ({ kind: 'set-domain-extension', listener, id, ...desired }) as const),
    ...remove.map(({ id, domain }) => ({ kind: 'delete-domain-extension', listener, id, domain }) as const),
  ];
}
