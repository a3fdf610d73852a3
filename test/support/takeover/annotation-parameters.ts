import type { Parameters } from '../simulator.ts';

/** The annotations of a Service, by suffix. */
export type Annotations = Readonly<Record<string, string>>;
export type ListenerKind = 'tcp' | 'udp' | 'http' | 'https';

const LAYER_4: readonly ListenerKind[] = ['tcp', 'udp'];
const LAYER_7: readonly ListenerKind[] = ['http', 'https'];
const PROBED: readonly ListenerKind[] = ['tcp', 'http', 'https'];
const ALL: readonly ListenerKind[] = ['tcp', 'udp', 'http', 'https'];

type Row = readonly [suffix: string, parameter: string];

const OF_LOAD_BALANCER: readonly Row[] = [
  ['address-type', 'AddressType'],
  ['name', 'LoadBalancerName'],
  ['resource-group-id', 'ResourceGroupId'],
  ['vswitch-id', 'VSwitchId'],
  ['charge-type', 'InternetChargeType'],
  ['bandwidth', 'Bandwidth'],
  ['spec', 'LoadBalancerSpec'],
  ['instance-charge-type', 'InstanceChargeType'],
  ['master-zoneid', 'MasterZoneId'],
  ['slave-zoneid', 'SlaveZoneId'],
  ['ip-version', 'AddressIPVersion'],
  ['ip', 'Address'],
  ['delete-protection', 'DeleteProtection'],
  ['modification-protection', 'ModificationProtectionStatus'],
];

/** The parameter of listener creations for each annotation, by protocol. Written out, so that a mistake in the sources is not repeated. */
const OF_LISTENERS: readonly (readonly [on: readonly ListenerKind[], rows: readonly Row[]])[] = [
  [
    ALL,
    [
      ['scheduler', 'Scheduler'],
      ['acl-status', 'AclStatus'],
      ['acl-id', 'AclId'],
      ['acl-type', 'AclType'],
      ['health-check-connect-port', 'HealthCheckConnectPort'],
      ['health-check-interval', 'HealthCheckInterval'],
      ['healthy-threshold', 'HealthyThreshold'],
      ['unhealthy-threshold', 'UnhealthyThreshold'],
    ],
  ],
  [
    ['tcp'],
    [
      ['persistence-timeout', 'PersistenceTimeout'],
      ['established-timeout', 'EstablishedTimeout'],
      ['health-check-type', 'HealthCheckType'],
    ],
  ],
  [
    LAYER_4,
    [
      ['health-check-connect-timeout', 'HealthCheckConnectTimeout'],
      ['health-check-switch', 'HealthCheckSwitch'],
      ['connection-drain', 'ConnectionDrain'],
      ['connection-drain-timeout', 'ConnectionDrainTimeout'],
    ],
  ],
  [
    PROBED,
    [
      ['health-check-domain', 'HealthCheckDomain'],
      ['health-check-uri', 'HealthCheckURI'],
      ['health-check-httpcode', 'HealthCheckHttpCode'],
    ],
  ],
  [
    LAYER_7,
    [
      ['health-check-flag', 'HealthCheck'],
      ['health-check-timeout', 'HealthCheckTimeout'],
      ['health-check-method', 'HealthCheckMethod'],
      ['sticky-session', 'StickySession'],
      ['sticky-session-type', 'StickySessionType'],
      ['cookie', 'Cookie'],
      ['cookie-timeout', 'CookieTimeout'],
      ['idle-timeout', 'IdleTimeout'],
      ['request-timeout', 'RequestTimeout'],
      ['xforwardedfor-proto', 'XForwardedFor_proto'],
      ['xforwardedfor-slbport', 'XForwardedFor_SLBPORT'],
      ['xforwardedfor-clientsrcport', 'XForwardedFor_ClientSrcPort'],
    ],
  ],
  [
    ['https'],
    [
      ['cert-id', 'ServerCertificateId'],
      ['http2-enabled', 'EnableHttp2'],
      ['tls-cipher-policy', 'TLSCipherPolicy'],
    ],
  ],
];

/** The values that the Alibaba Cloud Controller Manager sends without an annotation. */
const DEFAULTS: Readonly<Record<ListenerKind, Parameters>> = {
  tcp: { Scheduler: 'rr', Bandwidth: -1 },
  udp: { Scheduler: 'rr', Bandwidth: -1 },
  http: { Scheduler: 'rr', HealthCheck: 'off', StickySession: 'off' },
  https: { Scheduler: 'rr', HealthCheck: 'off', StickySession: 'off', Bandwidth: -1 },
};

/** Returns a part of the list entry `from:to` for a port. */
const entryOf = (list: string | undefined, port: number, at: 0 | 1): string | undefined =>
  (list ?? '')
    .split(',')
    .map((entry) => entry.split(':'))
    .find((halves) => halves[at] === String(port))?.[1 - at];

const parametersOf = (rows: readonly Row[], annotations: Annotations): Parameters =>
  Object.fromEntries(
    rows.flatMap(([suffix, parameter]) => (annotations[suffix] ? [[parameter, annotations[suffix]]] : [])),
  );

/** Returns the protocol of the listener of a port. */
export const kindOf = (annotations: Annotations, port: number, protocol = 'TCP'): ListenerKind =>
  (entryOf(annotations['protocol-port'], port, 1) ?? protocol.toLowerCase()) as ListenerKind;

/** Returns the id of the user-managed group for a port. */
export const namedGroup = (annotations: Annotations, port: number): string | undefined =>
  entryOf(annotations['vgroup-port'], port, 1);

/** Returns the parameters of a listener creation without port, name and group. */
export function listenerParameters(annotations: Annotations, kind: ListenerKind, port: number): Parameters {
  const target = kind === 'http' ? entryOf(annotations['forward-port'], port, 0) : undefined;
  const rows = OF_LISTENERS.flatMap(([on, all]) => (on.includes(kind) ? all : []));
  const proxy = LAYER_4.includes(kind) ? annotations['proxy-protocol'] : undefined;
  return {
    ...DEFAULTS[kind],
    ...parametersOf(rows, annotations),
    ...(proxy === undefined ? {} : { ProxyProtocolV2Enabled: proxy === 'on' }),
    ...(target === undefined ? {} : { ListenerForward: 'on', ForwardPort: target }),
  };
}

/** Returns the parameters of a load balancer creation. */
export function creationParameters(annotations: Annotations, ownName: string, clusterId: string): Parameters {
  const tags = [`kubernetes.do.not.delete=${ownName}`, `ack.aliyun.com=${clusterId}`].concat(
    annotations['additional-resource-tags']?.split(',') ?? [],
  );
  const place = annotations['address-type'] === 'intranet' ? { VpcId: 'vpc-1', VSwitchId: 'vsw-1' } : {};
  return {
    AddressType: 'internet',
    LoadBalancerName: ownName,
    InstanceChargeType: 'PayByCLCU',
    ...(annotations['instance-charge-type'] === 'PayBySpec' ? { LoadBalancerSpec: 'slb.s1.small' } : {}),
    DeleteProtection: 'on',
    ModificationProtectionStatus: 'ConsoleProtection',
    ...(annotations['modification-protection'] === 'NonProtection'
      ? {}
      : { ModificationProtectionReason: 'managed.by.ack' }),
    ...place,
    ...Object.fromEntries(
      tags.flatMap((tag, index) => {
        const [key = '', value = ''] = tag.split('=');
        return [
          [`Tag.${index + 1}.Key`, key],
          [`Tag.${index + 1}.Value`, value],
        ];
      }),
    ),
    ...parametersOf(OF_LOAD_BALANCER, annotations),
  };
}
