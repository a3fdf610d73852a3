import type { Options } from '../../annotation/catalogue.ts';
import type { ListenerProtocol } from '../../inventory/custom-resources.ts';
import { present } from '../../plan/changed-fields.ts';
import type {
  DesiredListener,
  HttpAttributes,
  HttpsAttributes,
  TcpAttributes,
  UdpAttributes,
} from '../model/listener.ts';
import { listenerName, type Owner } from '../model/naming.ts';

/** The attributes that come from the port of the Service, not from `Options` directly. */
type PortAttributes = 'protocol' | 'port' | 'description';
type Annotated<Attributes> = Omit<Attributes, PortAttributes>;

const common = (options: Options) => ({
  scheduler: options.scheduler,
  bandwidth: options.listenerBandwidth,
  aclStatus: options.aclStatus,
  aclType: options.aclType,
  aclId: options.aclId?.join(','),
  healthCheckConnectPort: options.healthCheckConnectPort,
  healthCheckInterval: options.healthCheckInterval,
  healthyThreshold: options.healthyThreshold,
  unhealthyThreshold: options.unhealthyThreshold,
});

const layer4 = (options: Options) => ({
  ...common(options),
  healthCheckSwitch: options.healthCheckSwitch,
  healthCheckConnectTimeout: options.healthCheckConnectTimeout,
  connectionDrain: options.connectionDrain,
  connectionDrainTimeout: options.connectionDrainTimeout,
  proxyProtocolV2Enabled: options.proxyProtocol === undefined ? undefined : options.proxyProtocol === 'on',
});

const probe = (options: Options) => ({
  healthCheckDomain: options.healthCheckDomain,
  healthCheckURI: options.healthCheckUri,
  healthCheckHttpCode: options.healthCheckHttpcode?.join(','),
});

const layer7 = (options: Options) => ({
  ...common(options),
  ...probe(options),
  healthCheck: options.healthCheckFlag,
  healthCheckTimeout: options.healthCheckTimeout,
  healthCheckMethod: options.healthCheckMethod,
  stickySession: options.stickySession,
  stickySessionType: options.stickySessionType,
  cookieTimeout: options.cookieTimeout,
  cookie: options.cookie,
  XForwardedFor_proto: options.xforwardedforProto,
  XForwardedFor_SLBPORT: options.xforwardedforSlbport,
  XForwardedFor_ClientSrcPort: options.xforwardedforClientsrcport,
  idleTimeout: options.idleTimeout,
  requestTimeout: options.requestTimeout,
});

const tcp = (options: Options): Annotated<TcpAttributes> =>
  present({
    ...layer4(options),
    ...probe(options),
    healthCheckType: options.healthCheckType,
    persistenceTimeout: options.persistenceTimeout,
    establishedTimeout: options.establishedTimeout,
  });

const udp = (options: Options): Annotated<UdpAttributes> => present(layer4(options));

const http = (options: Options): Annotated<HttpAttributes> => present(layer7(options));

/** Returns the redirect of an HTTP port, if the Service requests a redirect. */
const redirect = ({ forwardPort }: Options, port: number) => {
  const target = forwardPort?.find(({ from }) => from === port)?.to;
  return target === undefined ? {} : { listenerForward: 'on' as const, forwardPort: target, group: '' };
};

const https = (options: Options): Annotated<HttpsAttributes> & Pick<DesiredListener, 'domainExtensions'> =>
  present({
    ...layer7(options),
    serverCertificateId: options.certId,
    enableHttp2: options.http2Enabled,
    TLSCipherPolicy: options.tlsCipherPolicy,
    domainExtensions: options.domainExtensions,
  });

/** Returns the attributes that the options set on a listener of this protocol. */
export function annotatedAttributes(protocol: ListenerProtocol, options: Options) {
  switch (protocol) {
    case 'tcp':
      return tcp(options);
    case 'udp':
      return udp(options);
    case 'http':
      return http(options);
    case 'https':
      return https(options);
  }
}

/** The port, protocol and server group of a listener. */
interface ListenerTarget {
  readonly port: number;
  readonly protocol: ListenerProtocol;
  readonly group: string;
}

/** Returns the desired listener of a port, with the attributes that annotations set for its protocol. */
export function desiredListener(
  owner: Owner,
  { port, protocol, group }: ListenerTarget,
  options: Options,
): DesiredListener {
  const commonAttributes = { port, description: listenerName(owner, port), group };
  switch (protocol) {
    case 'tcp':
      return { protocol, ...commonAttributes, ...tcp(options) };
    case 'udp':
      return { protocol, ...commonAttributes, ...udp(options) };
    case 'http':
      return { protocol, ...commonAttributes, ...http(options), ...redirect(options, port) };
    case 'https':
      return { protocol, ...commonAttributes, ...https(options) };
  }
}
