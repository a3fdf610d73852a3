import type { Protocol } from '../../src/annotation/value-type.ts';

type Value = string | number | boolean;

/** Effect of an annotation on the listeners of one protocol. */
export interface ListenerAnnotation {
  readonly suffix: string;
  readonly on: readonly Protocol[];
  /** The name of the attribute in the cloud's API. */
  readonly attribute: string;
  /** The values in sequence, with the resulting attribute. */
  readonly values: readonly (readonly [written: string, attribute: Value])[];
  /** Attribute after the annotation is removed. Undefined if there is no default. */
  readonly default?: Value;
  /** Required other annotations. */
  readonly additional?: Readonly<Record<string, string>>;
}

const ALL = ['tcp', 'udp', 'http', 'https'] as const;
const LAYER_4 = ['tcp', 'udp'] as const;
const LAYER_7 = ['http', 'https'] as const;
const WITH_LIST = { 'acl-status': 'on', 'acl-type': 'white', 'acl-id': 'acl-1' };
const STICKY = { 'sticky-session': 'on', 'sticky-session-type': 'insert', 'cookie-timeout': '300' };
const PROBING = { 'health-check-flag': 'on', 'health-check-type': 'http' };

const numbers = (...all: readonly number[]) => all.map((value) => [String(value), value] as const);
const texts = (...all: readonly string[]) => all.map((value) => [value, value] as const);

/** Every listener annotation that sets one attribute, on every protocol with it. A test sets each value, and then removes the annotation. */
export const LISTENER_ANNOTATIONS: readonly ListenerAnnotation[] = [
  { suffix: 'scheduler', on: ALL, attribute: 'Scheduler', values: texts('rr', 'wrr'), default: 'rr' },
  { suffix: 'listener-bandwidth', on: ALL, attribute: 'Bandwidth', values: numbers(100, 5_120), default: -1 },
  {
    suffix: 'persistence-timeout',
    on: ['tcp'],
    attribute: 'PersistenceTimeout',
    values: numbers(600, 0, 1_800),
    default: 0,
  },
  {
    suffix: 'established-timeout',
    on: ['tcp'],
    attribute: 'EstablishedTimeout',
    values: numbers(300, 600),
    default: 900,
  },
  {
    suffix: 'proxy-protocol',
    on: LAYER_4,
    attribute: 'ProxyProtocolV2Enabled',
    values: [
      ['on', true],
      ['off', false],
      ['on', true],
    ],
    default: false,
  },
  {
    suffix: 'connection-drain',
    on: LAYER_4,
    attribute: 'ConnectionDrain',
    values: texts('on', 'off', 'on'),
    default: 'off',
    additional: { 'connection-drain-timeout': '300' },
  },
  {
    suffix: 'connection-drain-timeout',
    on: LAYER_4,
    attribute: 'ConnectionDrainTimeout',
    values: numbers(10, 900),
    additional: { 'connection-drain': 'on' },
  },
  {
    suffix: 'acl-status',
    on: ALL,
    attribute: 'AclStatus',
    values: texts('on', 'off', 'on'),
    default: 'off',
    additional: WITH_LIST,
  },
  { suffix: 'acl-type', on: ALL, attribute: 'AclType', values: texts('white', 'black'), additional: WITH_LIST },
  { suffix: 'acl-id', on: ALL, attribute: 'AclId', values: texts('acl-1', 'acl-2'), additional: WITH_LIST },
  {
    suffix: 'cert-id',
    on: ['https'],
    attribute: 'ServerCertificateId',
    values: texts('cert-1', 'cert-2'),
  },
  {
    suffix: 'http2-enabled',
    on: ['https'],
    attribute: 'EnableHttp2',
    values: texts('off', 'on', 'off'),
    default: 'on',
  },
  {
    suffix: 'tls-cipher-policy',
    on: ['https'],
    attribute: 'TLSCipherPolicy',
    values: texts('tls_cipher_policy_1_2', 'tls_cipher_policy_1_2_strict_with_1_3'),
    default: 'tls_cipher_policy_1_0',
  },
  { suffix: 'idle-timeout', on: LAYER_7, attribute: 'IdleTimeout', values: numbers(1, 60), default: 15 },
  { suffix: 'request-timeout', on: LAYER_7, attribute: 'RequestTimeout', values: numbers(1, 180), default: 60 },
  {
    suffix: 'sticky-session',
    on: LAYER_7,
    attribute: 'StickySession',
    values: texts('on', 'off', 'on'),
    default: 'off',
    additional: STICKY,
  },
  {
    suffix: 'sticky-session-type',
    on: LAYER_7,
    attribute: 'StickySessionType',
    values: texts('insert', 'server'),
    additional: { ...STICKY, cookie: 'session' },
  },
  { suffix: 'cookie-timeout', on: LAYER_7, attribute: 'CookieTimeout', values: numbers(1, 86_400), additional: STICKY },
  {
    suffix: 'cookie',
    on: LAYER_7,
    attribute: 'Cookie',
    values: texts('session', 'other'),
    additional: { 'sticky-session': 'on', 'sticky-session-type': 'server' },
  },
  ...(
    [
      ['xforwardedfor-proto', 'XForwardedFor_proto'],
      ['xforwardedfor-slbport', 'XForwardedFor_SLBPORT'],
      ['xforwardedfor-clientsrcport', 'XForwardedFor_ClientSrcPort'],
    ] as const
  ).map(([suffix, attribute]) => ({
    suffix,
    on: LAYER_7,
    attribute,
    values: texts('on', 'off', 'on'),
    default: 'off',
  })),
  {
    suffix: 'health-check-flag',
    on: LAYER_7,
    attribute: 'HealthCheck',
    values: texts('on', 'off', 'on'),
    default: 'off',
  },
  {
    suffix: 'health-check-switch',
    on: LAYER_4,
    attribute: 'HealthCheckSwitch',
    values: texts('off', 'on', 'off'),
    default: 'on',
  },
  {
    suffix: 'health-check-type',
    on: ['tcp'],
    attribute: 'HealthCheckType',
    values: texts('http', 'tcp', 'http'),
    default: 'tcp',
  },
  {
    suffix: 'health-check-uri',
    on: ['tcp', ...LAYER_7],
    attribute: 'HealthCheckURI',
    values: texts('/ready', '/live'),
    additional: PROBING,
  },
  {
    suffix: 'health-check-connect-port',
    on: ALL,
    attribute: 'HealthCheckConnectPort',
    values: numbers(8080, -520, 8081),
    default: -520,
  },
  { suffix: 'healthy-threshold', on: ALL, attribute: 'HealthyThreshold', values: numbers(2, 10), default: 3 },
  { suffix: 'unhealthy-threshold', on: ALL, attribute: 'UnhealthyThreshold', values: numbers(2, 10), default: 3 },
  {
    suffix: 'health-check-interval',
    on: ['tcp', ...LAYER_7],
    attribute: 'HealthCheckInterval',
    values: numbers(1, 4),
    default: 2,
  },
  { suffix: 'health-check-interval', on: ['udp'], attribute: 'HealthCheckInterval', values: numbers(1, 4), default: 5 },
  {
    suffix: 'health-check-connect-timeout',
    on: ['tcp'],
    attribute: 'HealthCheckConnectTimeout',
    values: [...numbers(8, 300), ['1', 2]],
    default: 5,
  },
  {
    suffix: 'health-check-connect-timeout',
    on: ['udp'],
    attribute: 'HealthCheckConnectTimeout',
    values: [...numbers(8, 300), ['1', 5]],
    default: 10,
  },
  {
    suffix: 'health-check-timeout',
    on: LAYER_7,
    attribute: 'HealthCheckTimeout',
    values: [...numbers(8, 300), ['1', 2]],
    default: 5,
    additional: PROBING,
  },
  {
    suffix: 'health-check-domain',
    on: ['tcp', ...LAYER_7],
    attribute: 'HealthCheckDomain',
    values: texts('a.example', '$_ip', 'b.example'),
    default: '$_ip',
    additional: PROBING,
  },
  {
    suffix: 'health-check-httpcode',
    on: ['tcp', ...LAYER_7],
    attribute: 'HealthCheckHttpCode',
    values: texts('http_2xx,http_3xx', 'http_4xx'),
    default: 'http_2xx',
    additional: PROBING,
  },
  {
    suffix: 'health-check-method',
    on: LAYER_7,
    attribute: 'HealthCheckMethod',
    values: texts('get', 'head', 'get'),
    default: 'head',
    additional: PROBING,
  },
];
