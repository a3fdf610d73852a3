import { boolean, choice, integer, required, text, type Parameter } from '../parameter.ts';
import type { ProtocolValue } from './table-rows.ts';
import { LISTENER_PORT, LOAD_BALANCER_ID, REGION_ID, TAG } from './common-parameters.ts';

/** An attribute of a listener, as the API reference describes the attribute. */
export interface Field {
  readonly parameter: Parameter;
  /** The default of a new listener. Undefined for an attribute without a default. */
  readonly initial?: string | number | boolean;
  /** The only operation that accepts the attribute. Undefined if both operations accept the attribute. */
  readonly only?: 'create' | 'set';
  /** The name of the attribute in responses, if the name differs. */
  readonly shownAs?: string;
}

const onOff = (name: string, initial?: 'on' | 'off'): Field => ({
  parameter: choice(name, ['on', 'off']),
  ...(initial === undefined ? {} : { initial }),
});
/** Returns an attribute with a whole number in `range`. `also` is a further permitted value. */
const number = (name: string, range: readonly [number, number], initial?: number, also?: number): Field => ({
  parameter: integer(name, range, also === undefined ? {} : { also }),
  ...(initial === undefined ? {} : { initial }),
});

const BANDWIDTH = integer('Bandwidth', [1, 5_120], { also: -1, code: 'InvalidParameter.Bandwidth' });
const DESCRIPTION = text('Description', {
  length: [1, 256],
  pattern: /^[\p{L}\p{N}\-/._]+$/u,
  form: 'letters, digits, "-", "/", "." and "_" are allowed',
});

const common = (schedulers: readonly string[]): readonly Field[] => [
  { parameter: DESCRIPTION },
  { parameter: BANDWIDTH, initial: -1 },
  { parameter: choice('Scheduler', schedulers), initial: 'wrr' },
  { parameter: text('VServerGroupId') },
  { parameter: integer('BackendServerPort', [1, 65_535]), only: 'create' },
  onOff('AclStatus', 'off'),
  { parameter: choice('AclType', ['white', 'black']) },
  { parameter: text('AclId') },
  // In the API, the value -520 means the port of the backend.
  number('HealthCheckConnectPort', [1, 65_535], undefined, -520),
  number('HealthyThreshold', [2, 10], 3),
  number('UnhealthyThreshold', [2, 10], 3),
];

const httpProbe: readonly Field[] = [
  {
    parameter: text('HealthCheckDomain', {
      length: [0, 80],
      pattern: /^([A-Za-z0-9.-]*|\$_ip)$/,
      form: 'letters, digits, "." and "-" are allowed, or $_ip',
    }),
  },
  {
    parameter: text('HealthCheckURI', {
      length: [1, 80],
      pattern: /^\/[A-Za-z0-9\-/.%?#&]+$/,
      form: 'it must start with "/" and contain only letters, digits, "-", "/", ".", "%", "?", "#" and "&"',
    }),
  },
  {
    parameter: text('HealthCheckHttpCode', {
      pattern: /^http_[2345]xx(,http_[2345]xx)*$/,
      form: 'a comma separated list of http_2xx, http_3xx, http_4xx, http_5xx is allowed',
    }),
  },
];

const layer4 = (schedulers: readonly string[], intervalS: number, timeoutS: number): readonly Field[] => [
  ...common(schedulers),
  { ...onOff('HealthCheckSwitch', 'on'), shownAs: 'HealthCheck' },
  number('HealthCheckInterval', [1, 50], intervalS),
  number('HealthCheckConnectTimeout', [1, 300], timeoutS),
  onOff('ConnectionDrain', 'off'),
  number('ConnectionDrainTimeout', [10, 900]),
  { parameter: boolean('ProxyProtocolV2Enabled'), initial: false },
];

const forwarded = ['ClientSrcPort', 'SLBID', 'SLBIP', 'SLBPORT', 'proto'].map((what) =>
  onOff(`XForwardedFor_${what}`, 'off'),
);

const layer7: readonly Field[] = [
  ...common(['wrr', 'rr', 'wlc']),
  onOff('HealthCheck'),
  { parameter: choice('HealthCheckMethod', ['head', 'get']) },
  number('HealthCheckInterval', [1, 50], 2),
  number('HealthCheckTimeout', [1, 300], 5),
  ...httpProbe,
  onOff('StickySession', 'off'),
  { parameter: choice('StickySessionType', ['insert', 'server']) },
  number('CookieTimeout', [1, 86_400]),
  {
    parameter: text('Cookie', {
      length: [1, 200],
      pattern: /^[^$,; ][^,; ]*$/,
      form: 'commas, semicolons, blanks and a leading "$" are not allowed',
    }),
  },
  onOff('XForwardedFor', 'on'),
  ...forwarded,
  onOff('Gzip', 'on'),
  number('IdleTimeout', [1, 60], 15),
  number('RequestTimeout', [1, 180], 60),
];

/** The attributes of a listener, by protocol. The operations, the checks of seeds and the responses use this table. */
export const FIELDS: Readonly<Record<ProtocolValue, readonly Field[]>> = {
  tcp: [
    ...layer4(['wrr', 'rr', 'sch', 'tch', 'wlc'], 2, 5),
    { parameter: choice('HealthCheckType', ['tcp', 'http']), initial: 'tcp' },
    ...httpProbe,
    number('PersistenceTimeout', [0, 3_600], 0),
    number('EstablishedTimeout', [10, 900], 900),
    { parameter: choice('SynProxy', ['enable', 'disable']), initial: 'disable', only: 'set' },
  ],
  udp: [
    ...layer4(['wrr', 'rr', 'sch', 'tch', 'qch', 'wlc'], 5, 10),
    { parameter: text('HealthCheckReq', { length: [1, 64], code: 'InvalidParamLength.HealthCheckReq' }) },
    { parameter: text('HealthCheckExp', { length: [1, 64], code: 'InvalidParamLength.HealthCheckExp' }) },
  ],
  http: [
    ...layer7,
    { ...onOff('ListenerForward', 'off'), only: 'create' },
    { ...number('ForwardPort', [1, 65_535]), only: 'create' },
  ],
  https: [
    ...layer7,
    { parameter: text('ServerCertificateId') },
    { parameter: text('CACertificateId') },
    onOff('EnableHttp2', 'on'),
    {
      parameter: text('TLSCipherPolicy', {
        pattern: /^(tls_cipher_policy_1_(0|1|2|2_strict|2_strict_with_1_3)|tls-[a-z0-9]+)$/,
        form: 'allowed are tls_cipher_policy_1_0, _1_1, _1_2, _1_2_strict, _1_2_strict_with_1_3, or the id of a policy',
      }),
      initial: 'tls_cipher_policy_1_0',
    },
  ],
};

/** The attributes that a creation requires, although a change may omit them. */
const REQUIRED_AT_CREATION: Readonly<Record<ProtocolValue, readonly string[]>> = {
  tcp: ['Bandwidth'],
  udp: ['Bandwidth'],
  http: [],
  https: ['Bandwidth'],
};

/** Returns the parameters of the operation that creates a listener. */
export function creationParameters(protocol: ProtocolValue): readonly Parameter[] {
  const fields = FIELDS[protocol].filter(({ only }) => only !== 'set').map(({ parameter }) => parameter);
  const mandatory = REQUIRED_AT_CREATION[protocol];
  const own = fields.map((parameter) => (mandatory.includes(parameter.name) ? required(parameter) : parameter));
  return [LOAD_BALANCER_ID, LISTENER_PORT, REGION_ID, TAG, ...own];
}

/** Returns the parameters of the operation that changes a listener. */
export const changeParameters = (protocol: ProtocolValue): readonly Parameter[] => [
  LOAD_BALANCER_ID,
  LISTENER_PORT,
  REGION_ID,
  boolean('DryRun'),
  choice('VServerGroup', ['on', 'off']),
  ...FIELDS[protocol].filter(({ only }) => only !== 'create').map(({ parameter }) => parameter),
];
