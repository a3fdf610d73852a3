import { ENTRIES, type OptionName } from '../../annotation/catalogue.ts';
import type { ListenerProtocol } from '../../inventory/custom-resources.ts';
import type { Action } from '../model/action.ts';
import { inListOf } from '../model/listener-set.ts';
import { portOf } from '../diff/blocked-ports.ts';
import type { ListenerKey } from '../model/listener.ts';
import { isReservedTag } from '../model/naming.ts';
import type { Observed } from '../model/desired-and-observed-state.ts';

/** The key of a property that a policy can block. `listeners` is the number of listeners. */
export type AttributeKey =
  `annotation/${OptionName}` | `tag/${string}` | `port/${number}` | `protocol/${number}` | 'listeners';

/** All keys except keys of tags and of single ports. While the controller cannot read the policies, it blocks these keys. */
export const EVERYTHING: readonly AttributeKey[] = [
  'listeners',
  ...ENTRIES.map(([option]) => `annotation/${option}` as const),
];

/** The options of listener fields whose names differ from the option names. */
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

export const attributeKeyOf = (field: string): AttributeKey =>
  `annotation/${OF_FIELDS[field] ?? (field as OptionName)}`;

/** Returns the keys of all listener annotations for a protocol. A creation sets all of these attributes, some of them by default. */
const ofListeners = (protocol: ListenerProtocol): readonly AttributeKey[] =>
  ENTRIES.flatMap(([option, { appliesTo }]) =>
    appliesTo.includes('listener') || appliesTo.includes(`listener:${protocol}`)
      ? [`annotation/${option}` as const]
      : [],
  );

/** Returns the keys that the creation of a listener changes. On a used port, the listener is a replacement and not an additional listener. */
function ofCreation({ port, protocol }: ListenerKey, isPortUsed: boolean): readonly AttributeKey[] {
  const further: readonly AttributeKey[] = isPortUsed ? [] : [`port/${port}`, 'listeners'];
  return [...further, `protocol/${port}`, ...ofListeners(protocol)];
}

const ofTag = (key: string): readonly AttributeKey[] =>
  isReservedTag(key) ? [] : [`tag/${key}`, 'annotation/additionalResourceTags'];

/** Returns the keys that a part of an action changes. If an action changes several fields, `field` selects one field. */
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

/** Returns the ports that the keys name; may be empty. */
export const portsIn = (about: readonly AttributeKey[]): readonly number[] =>
  about.flatMap((attributeKey) => OF_PORTS.exec(attributeKey)?.groups?.['port'] ?? []).map(Number);

/** Returns whether keys concern a listener. Keys with ports concern only the listeners on those ports. */
function matchesKey(about: readonly AttributeKey[], { port }: Pick<ListenerKey, 'port'>): boolean {
  const ports = portsIn(about);
  return ports.length === 0 || ports.includes(port);
}

/** Returns whether a field of an action changes any of the keys in `about`. A policy can block each field of an action separately. */
export const changesKey = (
  action: Action,
  field: string,
  about: readonly AttributeKey[],
  observed: Observed,
): boolean =>
  (!('listener' in action) || matchesKey(about, action.listener)) &&
  changedKeys(action, field, observed).some((attributeKey) => about.includes(attributeKey));

/** Returns whether the creation of a listener changes any of the keys in `about`. `isPortUsed` means that a listener already exists on the port. */
export const creationChangesKey = (
  listener: ListenerKey,
  about: readonly AttributeKey[],
  isPortUsed: boolean,
): boolean =>
  matchesKey(about, listener) && ofCreation(listener, isPortUsed).some((attributeKey) => about.includes(attributeKey));
