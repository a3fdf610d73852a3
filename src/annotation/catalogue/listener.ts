import type { AppliesTo } from '../option-definition.ts';
import { annotation, annotationWithoutForms } from '../keys.ts';
import { FLAG, integer, oneOf } from '../value-type.ts';

const LAYER_4: readonly AppliesTo[] = ['listener:tcp', 'listener:udp'];
const ALL: readonly AppliesTo[] = [...LAYER_4, 'listener:http', 'listener:https'];

/** Annotations for all listeners, and for TCP and UDP listeners only. */
export const LISTENER = {
  protocolPort: annotation({
    suffix: 'protocol-port',
    value: { kind: 'protocol-ports' },
    absent: 'the protocol of each port of the Service',
    mutability: { kind: 'recreates', reason: 'a port whose protocol changes gets a new listener' },
    appliesTo: ['listener'],
    onReused: 'if-overriding',
    doc:
      'The protocol of the listener on each named port. TCP ports of the Service may become tcp, http or https; a port not ' +
      'named keeps its own protocol.',
    example: 'https:443,http:80',
    since: 'v1.9.3',
  }),
  scheduler: annotation({
    suffix: 'scheduler',
    value: {
      ...oneOf('rr', 'wrr', 'wlc', 'sch', 'tch', 'qch'),
      only: { sch: ['tcp', 'udp'], tch: ['tcp', 'udp'], qch: ['udp'] },
      older: ['wlc'],
    },
    default: 'rr',
    cloudDefault: 'wrr',
    mutability: { kind: 'updatable-if', reason: 'not to sch, tch or qch, which a listener has from the beginning' },
    appliesTo: ALL,
    onReused: 'if-overriding',
    doc:
      'How connections are spread: rr in turn, wrr in turn by weight, wlc to the least loaded by weight, sch by source ' +
      'address, tch by the four parts of the connection, qch by QUIC connection id. Weights that follow the number of pods ' +
      '(`externalTrafficPolicy: Local`) need wrr or wlc: without the annotation, new listeners then get wrr, and listeners with rr ' +
      'are changed to wrr at the next change of the Service or its backends.',
    example: 'wrr',
    since: 'v1.9.3.239',
  }),
  listenerBandwidth: annotationWithoutForms({
    suffix: 'listener-bandwidth',
    value: integer(1, 5120, 'Mbit/s'),
    absent: 'no limit but that of the load balancer',
    mutability: { kind: 'updatable' },
    appliesTo: ALL,
    onReused: 'if-overriding',
    doc:
      'The most bandwidth of each listener: the only limit that a listener of a classic load balancer has. Where the load balancer is paid ' +
      'for by bandwidth, all listeners together may not have more than it has.',
    example: '100',
    since: 'Portcullis 0.1.0',
  }),
  persistenceTimeout: annotation({
    suffix: 'persistence-timeout',
    value: integer(0, 3600, 'seconds'),
    cloudDefault: 0,
    mutability: { kind: 'updatable' },
    appliesTo: ['listener:tcp'],
    onReused: 'if-overriding',
    doc: 'How long connections of one client go to the same backend. 0 switches it off.',
    example: '1800',
    since: 'v1.9.3',
  }),
  establishedTimeout: annotation({
    suffix: 'established-timeout',
    value: integer(10, 900, 'seconds'),
    cloudDefault: 900,
    mutability: { kind: 'updatable' },
    appliesTo: ['listener:tcp'],
    onReused: 'if-overriding',
    doc: 'How long an established connection may be idle.',
    example: '300',
    since: 'v2.3.0 (2022-03)',
  }),
  proxyProtocol: annotation({
    suffix: 'proxy-protocol',
    value: { ...FLAG, otherwise: 'off' },
    cloudDefault: 'off',
    mutability: { kind: 'updatable' },
    appliesTo: LAYER_4,
    onReused: 'if-overriding',
    doc: "Sends the client's address to the backend by PROXY protocol v2. The backend must understand it.",
    example: 'on',
    since: 'v2.5.1 (2022-10)',
  }),
  connectionDrain: annotation({
    suffix: 'connection-drain',
    value: FLAG,
    cloudDefault: 'off',
    mutability: { kind: 'updatable' },
    appliesTo: LAYER_4,
    onReused: 'if-overriding',
    requires: [{ option: 'connectionDrainTimeout', when: ['on'], otherwise: 'denied' }],
    doc: 'Lets connections to a backend that is removed or unhealthy end by themselves.',
    example: 'on',
    since: 'v2.1.0 (2021-11)',
  }),
  connectionDrainTimeout: annotation({
    suffix: 'connection-drain-timeout',
    value: integer(10, 900, 'seconds'),
    mutability: { kind: 'updatable-if', reason: 'only while connection-drain is on' },
    appliesTo: LAYER_4,
    onReused: 'if-overriding',
    requires: [{ option: 'connectionDrain', values: ['on'], otherwise: 'no-effect' }],
    doc: 'How long draining connections may last.',
    example: '300',
    since: 'v2.1.0 (2021-11)',
  }),
  aclStatus: annotation({
    suffix: 'acl-status',
    value: FLAG,
    cloudDefault: 'off',
    mutability: { kind: 'updatable' },
    appliesTo: ALL,
    onReused: 'if-overriding',
    requires: [
      { option: 'aclId', when: ['on'], otherwise: 'denied' },
      { option: 'aclType', when: ['on'], otherwise: 'denied' },
    ],
    doc: 'Whether access is controlled by an access control list.',
    example: 'on',
    since: 'v1.9.3.239',
  }),
  aclId: annotation({
    suffix: 'acl-id',
    value: {
      kind: 'list',
      says: 'an access control list id, such as acl-bp1l0kk4gxce43k6rxeb',
      pattern: /^acl-[a-z0-9]+$/,
      isId: true,
      usually: 1,
    },
    mutability: { kind: 'updatable-if', reason: 'only while acl-status is on' },
    appliesTo: ALL,
    onReused: 'if-overriding',
    requires: [{ option: 'aclStatus', values: ['on'], otherwise: 'no-effect' }],
    doc: 'The access control list. Several may be named, where the region supports it; their order means nothing.',
    example: 'acl-bp1l0kk4gxce43k6rxeb',
    since: 'v1.9.3.239',
  }),
  aclType: annotation({
    suffix: 'acl-type',
    value: oneOf('white', 'black'),
    mutability: { kind: 'updatable-if', reason: 'only while acl-status is on' },
    appliesTo: ALL,
    onReused: 'if-overriding',
    requires: [{ option: 'aclStatus', values: ['on'], otherwise: 'no-effect' }],
    doc: 'Whether the list names who may connect (white) or who may not (black). An empty white list lets everybody in.',
    example: 'white',
    since: 'v1.9.3.239',
  }),
};
