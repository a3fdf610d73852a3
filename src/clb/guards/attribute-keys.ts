import { ENTRIES, type OptionName } from '../../annotation/catalogue.ts';
import type { ListenerProtocol } from '../../inventory/resource.ts';
import type { Action } from '../model/action.ts';
import { inListOf } from '../diff/sharing-services.ts';
import { portOf } from '../diff/blocked-ports.ts';
import type { ListenerKey } from '../model/listener.ts';
import { isReservedTag } from '../model/naming.ts';
import type { Observed } from '../model/state.ts';

/**
 * Something of a load balancer that Services ask for: what an annotation or a tag says, that there is a listener on a port, which protocol
 * it has, and how many listeners there are.
 */
export type AttributeKey =
  `annotation/${OptionName}` | `tag/${string}` | `port/${number}` | `protocol/${number}` | 'listeners';

/** All that may be brought about. */
export const EVERYTHING: readonly AttributeKey[] = [
  'listeners',
  ...ENTRIES.map(([option]) => `annotation/${option}` as const),
];

/** The options that are the fields of a listener, where they are not called the same. */
const OF_FIELDS: Readonly<Record<string, OptionName>> = {
  bandwidth: 'listenerBandwidth',
  proxyProtocolV2Enabled: 'proxyProtocol',
  healthCheckURI: 'healthCheckUri',
  healthCheckHttpCode: 'healthCheckHttpcode',
  healthCheck: 'healthCheckFlag',
  XForwardedFor_proto: 'xforwardedforProto',
  XForwardedFor_SLBPORT: 'xforwardedforSlbport',
  XForwardedFor_ClientSrcPort: 'xforwardedforClientsrcport',
  serverCertificateId: 'certId',
  enableHttp2: 'http2Enabled',
  TLSCipherPolicy: 'tlsCipherPolicy',
};

/** What a field of a listener is. */
export const attributeKeyOf = (field: string): AttributeKey =>
  `annotation/${OF_FIELDS[field] ?? (field as OptionName)}`;

/** What annotations say of listeners of a protocol: a new one has all of it, be it by saying nothing. */
const ofListeners = (protocol: ListenerProtocol): readonly AttributeKey[] =>
  ENTRIES.flatMap(([option, { appliesTo }]) =>
    appliesTo.includes('listener') || appliesTo.includes(`listener:${protocol}`)
      ? [`annotation/${option}` as const]
      : [],
  );

/** One in place of another on its port is no further one. */
function ofCreation({ port, protocol }: ListenerKey, isTaken: boolean): readonly AttributeKey[] {
  const further: readonly AttributeKey[] = isTaken ? [] : [`port/${port}`, 'listeners'];
  return [...further, `protocol/${port}`, ...ofListeners(protocol)];
}

const ofTag = (key: string): readonly AttributeKey[] =>
  isReservedTag(key) ? [] : [`tag/${key}`, 'annotation/additionalResourceTags'];

/** What a part of an action brings about: a field, for those that change several. */
function changedKeys(action: Action, field: string, observed: Observed): readonly AttributeKey[] {
  switch (action.kind) {
    case 'create-listener':
      return ofCreation(action.listener, inListOf(observed.listeners, portOf)(action.listener));
    case 'update-listener':
      return [attributeKeyOf(field)];
    case 'tag':
    case 'untag':
      return ofTag(field);
    case 'create-domain-extension':
    case 'set-domain-extension':
    case 'delete-domain-extension':
      return ['annotation/domainExtensions'];
    case 'rename':
      return ['annotation/name'];
    case 'set-delete-protection':
      return ['annotation/deleteProtection'];
    case 'set-modification-protection':
      return ['annotation/modificationProtection'];
    case 'set-spec':
      return ['annotation/spec'];
    case 'set-instance-charge-type':
      return ['annotation/instanceChargeType'];
    case 'set-internet-spec':
      return ['annotation/chargeType', 'annotation/bandwidth'];
    default:
      return [];
  }
}

const OF_PORTS = /^(?:port|protocol)\/(?<port>\d+)$/;

/** The ports that are spoken of, which may be none. */
export const portsIn = (about: readonly AttributeKey[]): readonly number[] =>
  about.flatMap((matter) => OF_PORTS.exec(matter)?.groups?.['port'] ?? []).map(Number);

/** Whether something concerns a listener: what speaks of ports concerns theirs, and no other. */
function matchesKey(about: readonly AttributeKey[], { port }: Pick<ListenerKey, 'port'>): boolean {
  const ports = portsIn(about);
  return ports.length === 0 || ports.includes(port);
}

/** Whether a part of an action, each of which may be left out, brings about any of it. */
export const changesKey = (
  action: Action,
  field: string,
  about: readonly AttributeKey[],
  observed: Observed,
): boolean =>
  (!('listener' in action) || matchesKey(about, action.listener)) &&
  changedKeys(action, field, observed).some((matter) => about.includes(matter));

/** The same of a listener that is made, be it in the place of one that has its port. */
export const dependsOn = (listener: ListenerKey, about: readonly AttributeKey[], isTaken: boolean): boolean =>
  matchesKey(about, listener) && ofCreation(listener, isTaken).some((matter) => about.includes(matter));
