import type { Options } from '../annotation/catalogue.ts';
import type { ListenerProtocol } from '../inventory/resource.ts';
import type { LastingOption, LastingOptions } from './applied.ts';
import { creationAttributes, DEFAULT_SPEC } from './desired-load-balancer.ts';
import { BACKEND_PORT, type DesiredListener } from './listener.ts';
import type { LoadBalancer, LoadBalancerAttributes } from './load-balancer.ts';
import type { ClusterSettings } from './settings.ts';

type Fields = Readonly<Record<string, unknown>>;
type Defaults = Readonly<Partial<Record<LastingOption, Fields>>>;

const COMMON: Defaults = {
  listenerBandwidth: { bandwidth: -1 },
  aclStatus: { aclStatus: 'off' },
  healthCheckConnectPort: { healthCheckConnectPort: BACKEND_PORT },
  healthyThreshold: { healthyThreshold: 3 },
  unhealthyThreshold: { unhealthyThreshold: 3 },
  healthCheckInterval: { healthCheckInterval: 2 },
};
const LAYER_4: Defaults = {
  ...COMMON,
  healthCheckSwitch: { healthCheckSwitch: 'on' },
  healthCheckConnectTimeout: { healthCheckConnectTimeout: 5 },
  connectionDrain: { connectionDrain: 'off' },
  proxyProtocol: { proxyProtocolV2Enabled: false },
};
const HTTP_PROBE: Defaults = {
  healthCheckDomain: { healthCheckDomain: '$_ip' },
  healthCheckHttpcode: { healthCheckHttpCode: 'http_2xx' },
};
const LAYER_7: Defaults = {
  ...COMMON,
  ...HTTP_PROBE,
  healthCheckFlag: { healthCheck: 'off' },
  healthCheckTimeout: { healthCheckTimeout: 5 },
  healthCheckMethod: { healthCheckMethod: 'head' },
  stickySession: { stickySession: 'off' },
  xforwardedforProto: { XForwardedFor_proto: 'off' },
  xforwardedforSlbport: { XForwardedFor_SLBPORT: 'off' },
  xforwardedforClientsrcport: { XForwardedFor_ClientSrcPort: 'off' },
  idleTimeout: { idleTimeout: 15 },
  requestTimeout: { requestTimeout: 60 },
};

/** What a new listener has where nothing is asked for, by the API's reference; the scheduler is ours to choose. */
const DEFAULTS: Readonly<Record<ListenerProtocol, Defaults>> = {
  tcp: {
    ...LAYER_4,
    ...HTTP_PROBE,
    healthCheckType: { healthCheckType: 'tcp' },
    persistenceTimeout: { persistenceTimeout: 0 },
    establishedTimeout: { establishedTimeout: 900 },
  },
  udp: {
    ...LAYER_4,
    healthCheckInterval: { healthCheckInterval: 5 },
    healthCheckConnectTimeout: { healthCheckConnectTimeout: 10 },
  },
  http: LAYER_7,
  https: {
    ...LAYER_7,
    http2Enabled: { enableHttp2: 'on' },
    tlsCipherPolicy: { TLSCipherPolicy: 'tls_cipher_policy_1_0' },
    domainExtensions: { domainExtensions: [] },
  },
};

/** The listener with what the attributes go back to whose annotations were taken away. */
export function withDefaultsOf(
  removed: LastingOptions,
  listener: DesiredListener,
  scheduler: 'rr' | 'wrr',
): DesiredListener {
  // One that only forwards has no such attributes.
  if (removed.size === 0 || listener.group === '') return listener;
  const fields = [...removed].map((name) => (name === 'scheduler' ? { scheduler } : DEFAULTS[listener.protocol][name]));
  return Object.assign({}, ...fields, listener) as DesiredListener;
}

/** The attribute of the load balancer that each option says. How it is charged stays: the cloud goes from PayBySpec to PayByCLCU, and not back. */
const ATTRIBUTES: Readonly<Partial<Record<LastingOption, keyof LoadBalancerAttributes>>> = {
  name: 'name',
  deleteProtection: 'deleteProtection',
  modificationProtection: 'modificationProtection',
  spec: 'spec',
  chargeType: 'internetChargeType',
};

/** Whether a load balancer stays charged as an annotation said that was taken away. */
export const keepsItsCharge = (
  applied: LastingOptions,
  { instanceChargeType }: Options,
  observed: LoadBalancer,
): boolean =>
  applied.has('instanceChargeType') && instanceChargeType === undefined && observed.instanceChargeType === 'PayBySpec';

/**
 * What the attributes of an owned load balancer go back to: to what it would be born with. One that stays charged by specification
 * has one all the same; where it is charged by use, nobody asks for it.
 */
export function attributeDefaults(
  uid: string,
  options: Options,
  settings: ClusterSettings,
  removed: LastingOptions,
): LoadBalancerAttributes {
  const born: LoadBalancerAttributes = {
    internetChargeType: 'paybytraffic',
    spec: DEFAULT_SPEC,
    ...creationAttributes(uid, options, settings),
  };
  const fields = [...removed].flatMap((name) => ATTRIBUTES[name] ?? []);
  return Object.fromEntries(fields.flatMap((field) => (born[field] === undefined ? [] : [[field, born[field]]])));
}
